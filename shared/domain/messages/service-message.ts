import { escapeHtml } from './merge-tags.ts';

/** A short message of the platform to one person, with one action. */
export interface ServiceMessage {
  subject: string;
  /** Plain text. */
  heading: string;
  paragraphs: readonly string[];
  button: { label: string; url: string };
  /** Why the reader gets this, and what to do if it is a mistake. */
  footer: string;
}

// Mail clients without dark mode use the inline colours.
const style = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  '@media(prefers-color-scheme:dark){.page{background:#15171a!important}.card{background:#202327!important}',
  '.text{color:#e8eaed!important}.quiet{color:#9aa0a6!important}.link{color:#8ab4f8!important}}',
].join('');
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const neverAgain = 'Get no more messages from this sender';

/**
 * Renders a service message in one column, for phones and dark mode too, with the button's address as text, and with a
 * link that ends all messages of the sender where there is one.
 */
export function renderServiceMessage(
  { subject, heading, paragraphs, button, footer }: ServiceMessage,
  unsubscribeUrl?: string,
): { subject: string; html: string; text: string } {
  const url = escapeHtml(button.url);
  const end = unsubscribeUrl
    ? `<br><a class="link" href="${escapeHtml(unsubscribeUrl)}" style="color:#1a5fd0">${neverAgain}</a>`
    : '';
  const body = paragraphs
    .map((text) => `<p class="text" style="margin:0 0 16px;color:#1c1e21">${escapeHtml(text)}</p>`)
    .join('');
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title>`,
    `<style>${style}</style></head>`,
    '<body class="page" style="margin:0;padding:0;background:#f4f5f7">',
    '<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0"',
    ' style="background:#f4f5f7">',
    '<tr><td align="center" style="padding:32px 16px">',
    '<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0"',
    ' style="max-width:480px;background:#ffffff;border-radius:12px">',
    `<tr><td style="padding:32px;${font};font-size:16px;line-height:1.6">`,
    '<h1 class="text" style="margin:0 0 16px;font-size:22px;line-height:1.3;color:#1c1e21">',
    `${escapeHtml(heading)}</h1>${body}`,
    '<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0"><tr>',
    '<td style="border-radius:8px;background:#1a5fd0">',
    `<a href="${url}" style="display:inline-block;padding:12px 24px;${font};font-size:16px;font-weight:600;`,
    `color:#ffffff;text-decoration:none">${escapeHtml(button.label)}</a></td></tr></table>`,
    '<p class="quiet" style="margin:0 0 16px;font-size:14px;color:#5f6368">',
    'If the button does not work, open this address:<br>',
    `<a class="link" href="${url}" style="color:#1a5fd0;word-break:break-all">${url}</a></p>`,
    `<p class="quiet" style="margin:0;font-size:14px;color:#5f6368">${escapeHtml(footer)}${end}</p>`,
    '</td></tr></table></td></tr></table></body></html>',
  ].join('');
  const text = [heading, ...paragraphs, `${button.label}: ${button.url}`, footer];
  if (unsubscribeUrl) text.push(`${neverAgain}: ${unsubscribeUrl}`);
  return { subject, html, text: text.join('\n\n') };
}
