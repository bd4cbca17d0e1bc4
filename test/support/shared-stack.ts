import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { synthesize } from '../../local/template/assembly.ts';
import { startStack } from './stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    origin: string;
    /** Its data folder. */
    folder: string;
  }
}

/**
 * Synthesizes once for all stacks of the tests, and starts the shared stack; tests that move the clock or inject faults
 * start their own. In the deep tier the functions of the shared stack reach its services over sockets, as on AWS.
 */
export default async function sharedStack(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'mailwright-tests-'));
  const assembly = join(home, 'assembly');
  // Test processes and their stacks inherit these variables, and share the compile cache, the assembly and its bundles.
  process.env.NODE_COMPILE_CACHE = join(home, 'compiled');
  await synthesize(assembly);
  process.env.MAILWRIGHT_ASSEMBLY = assembly;
  process.env.CDK_BUNDLES = 'built';
  const data = join(home, 'data');
  mkdirSync(data);
  const stack = await startStack({ env: { TMPDIR: data }, sockets: project.name === 'deep' });
  project.provide('origin', stack.origin);
  project.provide('folder', dirname(globSync(join(data, '*', 'stack.json'))[0]!));
  return async () => {
    await stack.stop();
    rmSync(home, { recursive: true });
  };
}
