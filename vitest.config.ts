import { existsSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const deep = ['test/**/*.deep.test.ts', 'test/browser/**/*.test.ts'];
const rules = ['client', 'domain', 'aws', 'account'].map((folder) => `test/${folder}/**/*.test.ts`);
const infra = ['test/infra/**/*.test.ts'];
/** It counts what modules make while they are loaded. */
const patterns = 'test/domain/patterns.test.ts';
const local = ['test/local/**/*.test.ts', patterns];

/** Tests of a local stack: one for all files, and those that the files start. */
const ofStacks = { globalSetup: 'test/support/shared-stack.ts' };
/** Files that leave nothing behind share a process and what it has loaded. */
const together = { isolate: false };

/** Files that take two to ten minutes, the longest first. */
const longest = [
  'alarms',
  'resend-unknown',
  'faults',
  'jobs',
  'reputation',
  'sequences',
  'bulk-status',
  'property',
].map((name) => `/${name}.deep.test.ts`);

/**
 * Begins with the longest files. Then those on the shared stack come between all others: it is one process, and keeps
 * one processor busy.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const lengthRank = ({ moduleId }: TestSpecification) => longest.findIndex((name) => moduleId.endsWith(name));
    const startsStack = ({ moduleId: path }: TestSpecification) =>
      [path, path.replace(/(\.deep)?\.test\.ts$/, '.setup.ts')].some(
        (file) => existsSync(file) && readFileSync(file, 'utf8').includes('startStack('),
      );
    const groups = Object.groupBy(await super.sort(files), (file) => {
      if (lengthRank(file) >= 0) return 'first';
      if (startsStack(file)) return 'own';
      return ['stack', 'deep'].includes(file.project.name) ? 'shared' : 'none';
    });
    const { first = [], own = [], shared = [], none = [] } = groups;
    const placed = [[...own, ...none], shared].flatMap((group) =>
      group.map((file, at) => ({ file, place: at / group.length })),
    );
    return [
      ...first.sort((a, b) => lengthRank(a) - lengthRank(b)),
      ...placed.sort((a, b) => a.place - b.place).map(({ file }) => file),
    ];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // For what hangs: a machine that is busy with other work takes many times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests mostly wait for their stacks.
    maxWorkers: 5,
    // Node runs TypeScript as it is: files are neither transformed nor loaded by Vite, once for every project.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      { extends: true, test: { name: 'rules', include: rules, exclude: [patterns], ...together } },
      {
        extends: true,
        test: { name: 'infra', include: infra, ...together, globalSetup: 'test/support/built.ts' },
      },
      { extends: true, test: { name: 'local', include: local } },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['test/**/*.test.ts'],
          exclude: [...rules, ...infra, ...local, ...deep],
          ...ofStacks,
          ...together,
          pool: 'threads',
        },
      },
      { extends: true, test: { name: 'deep', include: deep, ...ofStacks } },
    ],
  },
});
