/** System fonts: nothing is loaded from the web. */
export const font = '-apple-system, BlinkMacSystemFont, Segoe UI, Roboto, Helvetica, Arial, sans-serif';
/** The colors of a message in light mode. */
export const light = { page: '#f2f4f7', card: '#ffffff', text: '#1f2933', link: '#1d4ed8', line: '#dfe3e8' };
/** The colors of a message in dark mode. */
export const dark = { page: '#0f1216', card: '#1b1f25', text: '#e6e9ed', link: '#8ab4ff', line: '#3b424c' };
/** The default color of buttons. */
export const accent = '#1d4ed8';
/** Font sizes in pixels, from level 1 to 6. */
export const headingSizes = [30, 24, 20, 18, 16, 16];

/** The style sheet of a message, with its rules for dark mode; some mail programs use only the inline styles. */
export function styles(darkRules: readonly string[]): string {
  const rules = [
    `body, .mw-page { background-color: ${dark.page} !important; }`,
    `.mw-card, .mw-card > table { background-color: ${dark.card} !important; }`,
    `.mw-text > div { color: ${dark.text} !important; }`,
    `.mw-text a { color: ${dark.link}; }`,
    `.mw-line > p { border-top-color: ${dark.line} !important; }`,
    ...darkRules,
  ];
  return `
    :root { color-scheme: light dark; supported-color-schemes: light dark; }
    .mw-page { padding: 24px 0; }
    .mw-text a { color: ${light.link}; }
    .mw-own a { color: inherit; }
    @media only screen and (max-width: 599px) {
      .mw-page { padding: 0; }
      .mw-card, .mw-card > table, .mw-card > table > tbody > tr > td { border-radius: 0 !important; }
      .mw-edge { padding-left: 24px !important; padding-right: 24px !important; }
      .mw-inner { padding-left: 8px !important; padding-right: 8px !important; }
    }
    @media (prefers-color-scheme: dark) {
      ${rules.join('\n      ')}
    }`;
}
