import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** The subjects inside the layers, as docs/architecture.md has them: each may know those before it. */
const subjects = [
  'teams',
  'events',
  'webhooks',
  'contacts',
  'messages',
  'campaigns',
  'feedback',
  'reports',
  'waitlists',
  'sequences',
  'copywriting',
];

/** Files at the root of the flows that every subject may import; the others there are dispatchers. */
const commonFlows = ['shared/flows/publish-domain-events.ts'];
/** Imports the types of every subject's records, and nothing else of them. */
const namesAll = 'shared/domain/domain-event.ts';

const sources = globSync('{bin,client/src,functions,lib,local,shared}/**/*.ts');
const imports = new Map(
  sources.map((file) => {
    const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
    return [file, [...specifiers].map(([, path]) => join(dirname(file), path!))];
  }),
);

/** The layer and the subject of a file of `shared/`; no subject at the root of a layer. */
function roomOf(file: string): { layer?: string; subject?: string } {
  const [, layer, subject] = /^shared\/(domain|data|flows)\/(?:([\w-]+)\/)?/.exec(file) ?? [];
  return { layer, subject };
}

/** Why a file may not import another one; undefined when it may. */
function refusal(from: string, to: string): string | undefined {
  const [here, there] = [roomOf(from), roomOf(to)];
  if (!here.layer || !there.layer || from === namesAll) return undefined;
  if (there.subject === undefined)
    return there.layer === 'flows' && here.subject && !commonFlows.includes(to)
      ? 'a subject may not import a dispatcher'
      : undefined;
  if (here.subject === undefined)
    return here.layer === 'flows' && !commonFlows.includes(from)
      ? undefined
      : 'the root of a layer may not import a subject';
  return subjects.indexOf(there.subject) > subjects.indexOf(here.subject) ? 'a later subject' : undefined;
}

test('every folder inside domain, data and flows is a subject', () => {
  const found = new Set(sources.map((file) => roomOf(file).subject).filter((subject) => subject !== undefined));
  expect([...found].sort()).toEqual(subjects.toSorted());
});

test('a subject imports only earlier subjects and the root of its layer', () => {
  const refused = [...imports].flatMap(([from, all]) =>
    all.flatMap((to) => (refusal(from, to) ? [`${from} imports ${to}: ${refusal(from, to)}`] : [])),
  );
  expect(refused).toEqual([]);
});

test('the architecture lists the subjects in this order', () => {
  const [, listed = ''] = /^Subjects, in order: (.+?)\.$/ms.exec(readFileSync('docs/architecture.md', 'utf8')) ?? [];
  expect(listed.match(/`[a-z]+`/g)).toEqual(subjects.map((subject) => `\`${subject}\``));
});

test('no file imports itself through others', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) return void circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  expect(circles).toEqual([]);
});

test('no folder holds more than 25 files', () => {
  const folders = Map.groupBy(sources, dirname);
  expect([...folders].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual([]);
});
