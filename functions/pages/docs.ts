import { config } from '../../shared/aws/config.ts';
import { escapeHtml } from '../../shared/domain/messages/merge-tags.ts';
import { html } from '../../shared/http/html.ts';
import { type Document, readDocument } from '../../shared/http/openapi-document.ts';
import type { Page, PageRoute } from '../../shared/http/pages.ts';
import { type Entry, entriesOf } from './docs/document.ts';
import { entryHtml, entryLinks, recordsHtml, titleOf } from './docs/entry.ts';
import { parameterList } from './docs/fields.ts';
import { overview } from './docs/overview.ts';
import { search } from './docs/search.ts';
import { docsStyle } from './docs/style.ts';

const maxQueryLength = 200;

const start: PageRoute = {
  method: 'GET',
  path: '/docs',
  limited: true,
  async show({ query }) {
    const document = await readDocument();
    const entries = entriesOf(document);
    const words = (query.get('q') ?? '').trim().slice(0, maxQueryLength);
    if (words === '') return page(entries, 'API reference', overview(document, baseUrl(), entries));
    const found = search(document, entries, words);
    const count = found.length === 1 ? '1 entry has' : `${found.length} entries have`;
    return page(entries, `Search: ${words}`, `<p>${count} “${escapeHtml(words)}”.</p>${entryLinks(found)}`, '', words);
  },
};

const section: PageRoute = {
  method: 'GET',
  path: '/docs/{section}',
  limited: true,
  async show({ params }) {
    const document = await readDocument();
    const entries = entriesOf(document);
    const own = entries.filter((entry) => entry.section === params.section);
    if (own.length === 0)
      return { ...page(entries, 'Nothing here', '<p>The reference has no such part.</p>'), status: 404 };
    const whole = own.map((entry) => entryHtml(document, baseUrl(), entry)).join('');
    const main = introOf(document, own) + entryLinks(own) + whole + recordsHtml(document, own);
    return page(entries, titleOf(params.section!), main, params.section);
  },
};

/** The introduction to webhook events; empty for endpoints. */
function introOf(document: Document, [first]: readonly Entry[]): string {
  if (first?.method !== 'WEBHOOK') return '';
  return html`
    <p>What endpoints are sent that have subscribed to the type: a POST with a JSON
    body of <code>id</code>, <code>type</code>, <code>created_at</code> and <code>data</code>, signed in
    a header. Any 2xx is success. The same event may come again, under the same <code>id</code>.</p>
    ${parameterList(document, first.parameters)}`;
}

const baseUrl = () => `${config.baseUrl}/v1`;

function page(entries: readonly Entry[], heading: string, main: string, current = '', words = ''): Page {
  const sections = [...new Set(entries.map((entry) => entry.section))];
  const links = sections.map(
    (name) => `<li><a href="/docs/${name}"${name === current ? ' aria-current="page"' : ''}>${titleOf(name)}</a></li>`,
  );
  return {
    title: `${heading} · Mailwright`,
    heading,
    main,
    nav: html`
      <nav aria-label="Reference">
        <a class="skip" href="#main">To the content</a>
        <p class="name"><a href="/docs">Mailwright API</a></p>
        <form action="/docs" role="search">
          <label for="q">Search</label>
          <input id="q" name="q" type="search" value="${escapeHtml(words)}"
            maxlength="${maxQueryLength}" autocomplete="off">
          <button>Search</button>
        </form>
        <ul>${links.join('')}</ul>
      </nav>`,
    style: docsStyle,
  };
}

export const docsPages = [start, section];
