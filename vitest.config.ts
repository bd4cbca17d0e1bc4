import { defineConfig } from 'vitest/config';

const ofItsOwn = [
  'test/client/**/*.test.ts',
  'test/domain/**/*.test.ts',
  'test/aws/**/*.test.ts',
  'test/infra/**/*.test.ts',
  'test/local/**/*.test.ts',
];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Tests mostly wait for their stacks.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'parts', include: ofItsOwn } },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['test/**/*.test.ts'],
          exclude: ofItsOwn,
          globalSetup: 'test/support/shared-stack.ts',
        },
      },
    ],
  },
});
