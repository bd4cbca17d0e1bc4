import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { flagsOf } from '../../bin/operator-commands.ts';
import { type OperatorCommand, operatorCommands } from '../../functions/operator-commands.ts';
import { headings } from './markdown.ts';

const sources = globSync('{bin,functions,lib,local,shared,test}/**/*.{ts,mjs}');
const documents = globSync(['*.md', 'client/*.md', 'docs/**/*.md']);

const textOf = (file: string) => readFileSync(file, 'utf8');

/** Whether a file exists and, when a section is named, contains it. */
function exists(target: string): boolean {
  const [file = '', section] = target.split('#');
  return existsSync(file) && (section === undefined || headings(textOf(file)).includes(section));
}

test('every page and section that a source names exists', () => {
  const named = sources.flatMap((file) =>
    [...textOf(file).matchAll(/(?<![\w/.])docs\/[a-z][\w./-]*(?:#[a-z-]+)?/g)].map(([path]) => path.replace(/\.$/, '')),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

test('every link between the documents has a target', () => {
  const broken = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      .map(([, target]) => (target!.startsWith('#') ? file + target : join(dirname(file), target!)))
      .filter((target) => !exists(target)),
  );
  expect(broken).toEqual([]);
});

test('every test that holds a line of the threat model exists', () => {
  const named = [...textOf('SECURITY.md').matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((path) => !existsSync(`${path}.test.ts`) && !existsSync(`${path}.deep.test.ts`))).toEqual([]);
});

test("every operators' command that the documents name exists, with its flags", () => {
  const named = documents.flatMap((file) => [...textOf(file).matchAll(/npm run admin -- ([a-z]+ [a-z]+)(.*)/g)]);
  expect(named.length).toBeGreaterThan(5);
  for (const [, command, rest] of named) {
    expect(Object.keys(operatorCommands)).toContain(command);
    const flags = flagsOf(command as OperatorCommand).map(({ name }) => name);
    for (const [, flag] of rest!.matchAll(/ --([a-z-]+)/g)) expect([...flags, 'stage', 'json']).toContain(flag);
  }
});

test('every entry of the runbook says what it means, how to look, and what to do', () => {
  const [, ...entries] = textOf('docs/runbook.md').split(/^## /m);
  expect(entries.length).toBeGreaterThan(15);
  for (const entry of entries) {
    const parts = [...entry.matchAll(/^\*\*(What it means|How to look|What to do)\.\*\*(?: |$)/gm)].map(
      ([, part]) => part,
    );
    expect(parts, entry.split('\n')[0]).toEqual(['What it means', 'How to look', 'What to do']);
  }
});

test('the runbook names what each worker logs when it fails, and in which log', () => {
  const runbook = textOf('docs/runbook.md').replaceAll(/\s+/g, ' ');
  for (const file of globSync('functions/workers/*.ts')) {
    const [, failure] = /\bfailure: '([^']+)'/.exec(textOf(file))!;
    expect(runbook).toContain(`\`${failure}\``);
    expect(runbook).toContain(`\`${basename(file, '.ts')}\``);
  }
});
