import { escapeHtml } from '../../../shared/domain/messages/merge-tags.ts';
import { html } from '../../../shared/http/html.ts';
import type { Document, Schema } from '../../../shared/http/openapi-document.ts';
import { type Entry, recordOf } from './document.ts';
import { fieldList, parameterList, prose } from './fields.ts';

/** `api-keys` as a title: "API keys". */
export function titleOf(section: string): string {
  const words = section
    .replaceAll('-', ' ')
    .replace(/\b(api|ai)\b/g, (word) => word.toUpperCase())
    .replace('openapi', 'OpenAPI');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const badge = (method: string): string => `<span class="method ${method}">${method}</span>`;

/** Entries as a list of links. */
export function entryLinks(entries: readonly Entry[]): string {
  const items = entries.map(
    ({ section, id, method, path, summary }) => html`
      <li><a href="/docs/${section}#${id}">
        ${badge(method)}<code>${escapeHtml(path)}</code><span class="what">${prose(summary)}</span>
      </a></li>`,
  );
  return `<ul class="entries">${items.join('')}</ul>`;
}

/** A whole entry; `recordsHtml` has the fields of its record. */
export function entryHtml(document: Document, baseUrl: string, entry: Entry): string {
  const { id, method, path, summary, scope, extension, parameters, body, answer, refusals } = entry;
  const parametersOf = (place: string) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    return own.length > 0 && `<h3>${place === 'path' ? 'In the path' : 'Query'}</h3>${parameterList(document, own)}`;
  };
  const needs = scope ? `needs <code>${scope}</code>` : '';
  const notes = [needs, extension ? 'beyond the contract' : ''].filter(Boolean).join(', ');
  const webhook = method === 'WEBHOOK';
  const parts = [
    `<h2 id="${id}"><a href="#${id}">${prose(summary)}</a></h2>`,
    html`<p class="route">
      ${badge(method)}<code>${escapeHtml(path)}</code>${notes && `<span class="quiet">${notes}</span>`}
    </p>`,
    parametersOf('path'),
    parametersOf('query'),
    webhook && fieldsOf(document, 'data', body?.schema),
    webhook ? json('Example', body?.example) : body && `<h3>Body</h3>${fieldList(document, body.schema)}`,
    webhook || example('Request', curl(baseUrl, entry)),
    answer && json('Answer', answer.example),
    fieldsOf(document, 'the answer', answer?.schema),
    refusals.length > 0 && `<details><summary>Refusals</summary>${refusalTable(refusals)}</details>`,
  ];
  return `<section aria-labelledby="${id}">${parts.filter((part) => typeof part === 'string').join('')}</section>`;
}

function fieldsOf(document: Document, what: string, schema: Schema | undefined): string {
  const record = schema && recordOf(document, schema);
  if (record) return `<p>Fields of ${what}: <a href="#${record}">${record}</a></p>`;
  const fields = schema ? fieldList(document, schema) : '';
  return fields && `<details><summary>Fields of ${what}</summary>${fields}</details>`;
}

/** The records of some entries, each once, with their fields. */
export function recordsHtml(document: Document, entries: readonly Entry[]): string {
  const schemas = entries.flatMap(({ method, body, answer }) => (method === 'WEBHOOK' ? body : answer)?.schema ?? []);
  const names = new Set(schemas.flatMap((schema) => recordOf(document, schema) ?? []));
  const sections = [...names].map((name) => {
    const fields = fieldList(document, document.components.schemas[name]!);
    return `<section aria-labelledby="${name}"><h2 id="${name}"><a href="#${name}">${name}</a></h2>${fields}</section>`;
  });
  return sections.join('');
}

/** A table of statuses and their descriptions. */
export function refusalTable(refusals: readonly (readonly [status: string, description: string])[]): string {
  const rows = refusals.map(
    ([status, description]) => `<tr><td><code>${status}</code></td><td>${prose(description)}</td></tr>`,
  );
  return html`
    <table>
      <thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead>
      <tbody>${rows.join('')}</tbody>
    </table>`;
}

const json = (title: string, value: unknown): string =>
  value === undefined ? '' : example(title, JSON.stringify(value, null, 2));

/** A block of code, scrollable with the keyboard. */
export const example = (title: string, code: string): string =>
  `<h3>${title}</h3><pre tabindex="0" role="region" aria-label="${title}"><code>${escapeHtml(code)}</code></pre>`;

function curl(baseUrl: string, { method, path, parameters, body }: Entry): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const { schema } = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)!;
    return schema.type === 'integer' ? '42' : (samples[name] ?? name);
  });
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${baseUrl}${filled}"`,
    `-H "Authorization: Bearer $KEY"`,
    ...(body
      ? [
          `-H "Content-Type: application/json"`,
          `-d '${JSON.stringify(body.example, null, 2).replaceAll("'", `'\\''`)}'`,
        ]
      : []),
  ];
  return lines.join(' \\\n  ');
}

const samples: Record<string, string | undefined> = { contact: 'ada@example.com', domain: 'news.example.com' };
