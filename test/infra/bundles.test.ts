import { isBuiltin } from 'node:module';
import { expect, test } from 'vitest';
import { buildFunctions } from '../../bin/build.ts';

const { outputs } = await buildFunctions();
const bundles = Object.entries(outputs).map(([path, output]) => ({ path, ...output }));

test.each(bundles)('$path exports a handler', ({ exports }) => {
  expect(exports).toContain('handler');
});

test.each(bundles)(
  '$path is small: at most 460 KB where it uses the table only, 600 KB where it sends',
  ({ bytes, inputs }) => {
    const sends = Object.keys(inputs).some((input) => input.includes('@aws-sdk/client-sesv2/'));
    expect(bytes / 1024).toBeLessThanOrEqual(sends ? 600 : 460);
  },
);

test.each(bundles)('$path carries all that it runs', ({ imports }) => {
  const missing = imports.filter(({ path }) => !isBuiltin(path)).map(({ path }) => path);
  expect(missing.filter((path) => !path.includes('/credential-provider-'))).toEqual([]);
});
