import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { parse } from 'acorn';
import { analyse } from 'scslre';
import { afterAll, expect, it, vi } from 'vitest';

/** Modules that make patterns of lists when they are loaded. */
const making = [
  () => import('../../shared/domain/copywriting/polish.ts'),
  () => import('../../shared/domain/copywriting/prose.ts'),
  () => import('../../shared/domain/copywriting/rewritable.ts'),
  () => import('../../shared/domain/copywriting/spam-phrases.ts'),
  () => import('../../shared/domain/events/machine-engagement.ts'),
];

/** Patterns whose input is short, however long a customer's text is. */
const bounded: Record<string, string> = {
  'shared/domain/copywriting/subject-variations.ts': 'a subject line: at most 255 characters',
  'shared/domain/waitlists/waitlist.ts': 'the start of a name: 50 characters',
};

const literals = globSync(['functions/**/*.ts', 'shared/**/*.ts']).flatMap((where) => {
  const found: { pattern: RegExp; where: string }[] = [];
  parse(stripTypeScriptTypes(readFileSync(where, 'utf8')), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken(token) {
      const { type, value } = token as typeof token & { value: { pattern: string; flags: string } };
      if (type.label === 'regexp') found.push({ pattern: new RegExp(value.pattern, value.flags), where });
    },
  });
  return found;
});

const made: { pattern: RegExp; where: string }[] = [];
vi.stubGlobal(
  'RegExp',
  new Proxy(RegExp, {
    construct(target, [source, flags]) {
      const pattern = new target(source, flags);
      made.push({ pattern, where: 'made of a list' });
      return pattern;
    },
  }),
);
afterAll(() => void vi.unstubAllGlobals());

const slow = ({ pattern, where }: { pattern: RegExp; where: string }) =>
  analyse(pattern).reports.map(({ type }) => `${where}: ${pattern} (${type})`);

it('has no pattern that takes more than linear time for a long text', async () => {
  for (const load of making) await load();
  expect(literals.length).toBeGreaterThan(150);
  expect(made.length).toBeGreaterThan(20);
  const unbounded = literals.filter(({ where }) => bounded[where] === undefined);
  // The library `syllable` is given words of at most 50 characters.
  const ours = made.filter(({ pattern }) => !pattern.source.includes('jua|uai|eau'));
  expect([...unbounded, ...ours].flatMap(slow)).toEqual([]);
});

it('finds a pattern that is quadratic, and lists no file without one', () => {
  expect(slow({ pattern: /a+b/g, where: '' })).toHaveLength(1);
  const files = Object.keys(bounded).filter(
    (file) => literals.filter(({ where }) => where === file).flatMap(slow).length > 0,
  );
  expect(files).toEqual(Object.keys(bounded));
});
