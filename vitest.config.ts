import { existsSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const deep = ['test/**/*.deep.test.ts', 'test/browser/**/*.test.ts'];
const rules = ['client', 'domain', 'aws', 'account'].map((folder) => `test/${folder}/**/*.test.ts`);
const infra = ['test/infra/**/*.test.ts'];
const local = ['test/local/**/*.test.ts'];

/** Tests of a local stack: one for all files, and those that the files start. */
const ofStacks = { globalSetup: 'test/support/shared-stack.ts' };
/** Files that leave nothing behind share a process and what it has loaded. */
const together = { isolate: false };

/** Begins with the files that start a stack, which take longest, so that none of them is left for the end. */
class StacksFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const startsStack = ({ moduleId }: TestSpecification) =>
      [moduleId, moduleId.replace(/(\.deep)?\.test\.ts$/, '.setup.ts')].some(
        (file) => existsSync(file) && readFileSync(file, 'utf8').includes('startStack('),
      );
    return [...sorted.filter(startsStack), ...sorted.filter((file) => !startsStack(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: StacksFirst },
    // For what hangs: a machine that is busy with other work takes many times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests mostly wait for their stacks.
    maxWorkers: 5,
    // Node runs TypeScript as it is: files are neither transformed nor loaded by Vite, once for every project.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      { extends: true, test: { name: 'rules', include: rules, ...together } },
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
