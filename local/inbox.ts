import type { Message } from './ses/mailbox.ts';

/** The maximum number of messages that the inbox lists. */
export const maxMessages = 500;
const untitled = '(no subject)';
const linksInNewTabs = '<base target="_blank">';

const style = `
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
  h1 { font-size: 1.4rem; } a { color: inherit; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
  td { overflow-wrap: anywhere; } .quiet { opacity: .65; }
  form { margin: 1rem 0; } input { font: inherit; padding: .25rem .5rem; width: 22rem; max-width: 60%; }
  iframe { width: 100%; height: 36rem; border: 1px solid #8888; background: #fff; }
  pre { white-space: pre-wrap; border: 1px solid #8888; padding: 1rem; }
  dl { display: grid; grid-template-columns: 11rem 1fr; gap: .25rem .5rem; }
  dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }`;

/** The list of captured messages, newest first; `to` is the recipient in the search field. */
export function inboxPage(messages: Message[], to: string): string {
  const rows = messages.toReversed().map(
    ({ message_id, to, from, subject, accepted_at }) => `<tr>
      <td class="quiet">${escapeHtml(time(accepted_at))}</td><td>${escapeHtml(to)}</td>
      <td>${escapeHtml(from)}</td>
      <td><a href="/inbox?message=${encodeURIComponent(message_id)}">${escapeHtml(subject || untitled)}</a></td></tr>`,
  );
  const full = messages.length === maxMessages;
  const count = full
    ? `The newest ${maxMessages} messages`
    : `${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`;
  const table = `<table><thead><tr><th>Accepted<th>To<th>From<th>Subject</tr></thead>
    <tbody>${rows.join('')}</tbody></table>`;
  return page(
    'Inbox',
    `<h1>Inbox</h1>
    <form><input name="to" type="search" aria-label="Recipient" placeholder="Recipient's address"
      value="${escapeHtml(to)}"> <button>Find</button></form>
    <p class="quiet">${count}</p>${rows.length > 0 ? table : '<p>No mail has been captured.</p>'}`,
  );
}

/** A captured message with headers, tags, HTML and text; the frame of the HTML runs no scripts. */
export function messagePage(message: Message | undefined): string {
  if (!message) return page('Not found', '<p>There is no such message. <a href="/inbox">Inbox</a></p>');
  const { from, to, reply_to, subject, html, text, headers, tags, accepted_at } = message;
  const fields = { From: from, To: to, 'Reply-To': reply_to ?? '', Accepted: time(accepted_at), ...headers };
  const tagged = Object.entries(tags).map(([name, value]) => [`tag: ${name}`, value] as const);
  const list = [...Object.entries(fields), ...tagged]
    .filter(([, value]) => value)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`);
  const frame = html
    ? `<h2>HTML</h2><iframe sandbox="allow-popups allow-popups-to-escape-sandbox" title="The message's HTML"
      srcdoc="${escapeHtml(linksInNewTabs + html)}"></iframe>`
    : '';
  const plain = text ? `<h2>Text</h2><pre>${escapeHtml(text)}</pre>` : '';
  return page(
    subject ?? 'Message',
    `<p><a href="/inbox">Inbox</a></p><h1>${escapeHtml(subject || untitled)}</h1>
    <dl>${list.join('')}</dl>${frame}${plain}`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title><style>${style}</style>${body}`;
}

function time(timestamp: string): string {
  return timestamp.slice(0, 19).replace('T', ' ');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
