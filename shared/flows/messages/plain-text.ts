/** The maximum nesting; deeper elements are left out of the derived text. */
const maxDepth = 500;

/** The plain-text part of an HTML message, merge tags kept. */
export async function plainText(html: string): Promise<string> {
  const { htmlToText } = await import('html-to-text');
  return htmlToText(html, {
    wordwrap: false,
    limits: { maxDepth },
    selectors: [
      // Upper case would change the names of merge tags.
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
}
