import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { bundlesIn } from '../support/built.ts';

const bundles = Object.entries(bundlesIn(inject('metafile'))).map(([path, output]) => ({ path, ...output }));

test.each(bundles)('$path exports a handler', ({ exports }) => {
  expect(exports).toContain('handler');
});

test.each(bundles)(
  '$path is small: at most 460 KB with the table only, 490 KB with KMS, 640 KB with SES, 740 KB for operators',
  ({ path, bytes, inputs }) => {
    const calls = (client: string) =>
      Object.entries(inputs).some(([input, { bytesInOutput }]) => input.includes(client) && bytesInOutput > 0);
    const ofTable = calls('@aws-sdk/client-kms/') ? 490 : 460;
    const maxKilobytes = path.includes('/operate/') ? 740 : calls('@aws-sdk/client-sesv2/') ? 640 : ofTable;
    expect(bytes / 1024).toBeLessThanOrEqual(maxKilobytes);
  },
);

test.each(bundles)('$path contains every package that it imports', ({ path: bundle, imports }) => {
  const missing = imports.filter(({ path }) => !isBuiltin(path)).map(({ path }) => path);
  const packages = missing.filter((path) => !path.includes('/credential-provider-'));
  expect(packages.filter((name) => !existsSync(join(dirname(bundle), 'node_modules', name)))).toEqual([]);
});

test.each(bundles)('$path comes with the renderer of blocks if and only if it renders them', ({ path, inputs }) => {
  const renders = 'shared/domain/messages/render-blocks.ts' in inputs;
  expect(renders).toBe(/functions\/(campaigns|send|sequences|templates)\//.test(path));
  expect(existsSync(join(dirname(path), 'node_modules/mrml'))).toBe(renders);
  if (!renders) return;
  const found = createRequire(resolve(path)).resolve('mrml');
  expect(found).toBe(resolve(dirname(path), 'node_modules/mrml/nodejs/mrml_wasm.js'));
});
