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
 * Synthesizes once for every stack that tests start, and starts one for all test files; tests that move its clock or inject
 * faults start their own. In the deep tier the functions of every stack reach its services over sockets, as on AWS.
 */
export default async function sharedStack(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'mailwright-tests-'));
  const assembly = join(home, 'assembly');
  await synthesize(assembly);
  // The files' own processes, and the stacks that they start, inherit all of it: what one stack has compiled the next one loads.
  process.env.MAILWRIGHT_ASSEMBLY = assembly;
  process.env.NODE_COMPILE_CACHE = join(home, 'compiled');
  if (project.name === 'deep') process.env.MAILWRIGHT_SOCKETS = 'true';
  const data = join(home, 'data');
  mkdirSync(data);
  const stack = await startStack({ env: { TMPDIR: data } });
  project.provide('origin', stack.origin);
  project.provide('folder', dirname(globSync(join(data, '*', 'stack.json'))[0]!));
  return async () => {
    await stack.stop();
    rmSync(home, { recursive: true });
  };
}
