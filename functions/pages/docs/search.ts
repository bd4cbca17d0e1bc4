import { type Document, resolve, type Schema } from '../../../shared/http/openapi-document.ts';
import type { Entry } from './document.ts';

/** The entries that contain every word of a query; matches in the path or summary come first. */
export function search(document: Document, entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = entries.flatMap((entry) => {
    const head = `${entry.method} ${entry.path} ${entry.summary} ${entry.id} ${entry.section}`.toLowerCase();
    const whole = `${head} ${entry.scope ?? ''} ${[...namesOf(document, entry)].join(' ')}`.toLowerCase();
    if (!words.every((word) => whole.includes(word))) return [];
    return [{ entry, rank: words.filter((word) => head.includes(word)).length }];
  });
  return ranked.toSorted((a, b) => b.rank - a.rank).map(({ entry }) => entry);
}

/** Names, values and descriptions in an entry's request and response. */
function namesOf(document: Document, { parameters, body, answer }: Entry): Set<string> {
  const names = new Set<string>();
  const seen = new Set<Schema>();
  const visit = (given: Schema): void => {
    const schema = resolve(document, given);
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const value of schema.enum ?? []) names.add(String(value));
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      names.add(name);
      if (field.description) names.add(field.description);
      visit(field);
    }
    for (const inner of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])])
      visit(inner);
  };
  for (const { name, description, schema } of parameters) {
    names.add(name).add(description ?? '');
    visit(schema);
  }
  for (const content of [body, answer]) if (content) visit(content.schema);
  return names;
}
