import { escapeHtml } from '../../../shared/domain/messages/merge-tags.ts';
import { html } from '../../../shared/http/html.ts';
import type { Document } from '../../../shared/http/openapi-document.ts';
import type { Entry } from './document.ts';
import { entryLinks, example, refusalTable, titleOf } from './entry.ts';

/** The rules of every endpoint, and the list of all endpoints. */
export function overview({ components }: Document, baseUrl: string, entries: readonly Entry[]): string {
  const statuses = new Map(entries.flatMap(({ refusals }) => refusals));
  const sections = [...new Set(entries.map(({ section }) => section))];
  const lists = sections.map(
    (section) =>
      `<h3 id="${section}"><a href="/docs/${section}">${titleOf(section)}</a></h3>` +
      entryLinks(entries.filter((entry) => entry.section === section)),
  );
  const codes = components.schemas.ErrorCode?.enum ?? [];
  const topics: [id: string, title: string, text: string][] = [
    [
      'requests',
      'Requests',
      html`
        <p>The API answers at <code>${escapeHtml(baseUrl)}</code>, in JSON. A key goes
        into <code>Authorization: Bearer …</code> or <code>X-Api-Key</code>, and holds scopes: each endpoint names the
        one that it needs, and a <code>:write</code> scope includes its <code>:read</code>.</p>
        ${example('A first request', `curl "${baseUrl}/me" -H "Authorization: Bearer $KEY"`)}
        <p>Moments are ISO 8601 in UTC; without an offset they are taken as UTC. Unknown fields are ignored.</p>`,
    ],
    [
      'errors',
      'Errors',
      html`
        <p>Errors have one form: <code>message</code> for people, <code>code</code> for
        programs, <code>request_id</code> for our logs; <code>errors</code> with messages by field path where fields are
        refused, <code>blockers</code> where a campaign cannot be sent.</p>
        ${refusalTable([...statuses].sort())}
        <p>The words of <code>code</code>: ${codes.map((code) => `<code>${code}</code>`).join(', ')}.</p>`,
    ],
    [
      'pages',
      'Listings',
      html`
        <p>A listing gives <code>per_page</code> records (25, at most 100) and <code>next_cursor</code>. Send it
        as <code>cursor</code> for the next page, with the same filters, until <code>has_more</code> is
        false. <code>prev_cursor</code> leads back.</p>`,
    ],
    [
      'idempotency',
      'Trying again',
      html`
        <p>Give a write an <code>Idempotency-Key</code>, and it is executed once however often it is sent within 24
        hours; the answer is the same, with <code>Idempotent-Replayed: true</code>. After 429 and 503, wait the
        seconds of <code>Retry-After</code>. <code>X-RateLimit-Remaining</code> says how many requests the minute
        has left.</p>`,
    ],
    [
      'programs',
      'For programs',
      html`
        <p>The same as an <a href="${escapeHtml(baseUrl)}/openapi.json">OpenAPI 3.1 document</a>, for Postman, Bruno and
        generators. The repository holds a TypeScript client in <code>client/</code>.</p>`,
    ],
    ['endpoints', 'Endpoints', lists.join('')],
  ];
  return topics
    .map(
      ([id, title, text]) =>
        `<section aria-labelledby="${id}"><h2 id="${id}"><a href="#${id}">${title}</a></h2>${text}</section>`,
    )
    .join('');
}
