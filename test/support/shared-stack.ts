import { globSync, mkdtempSync, rmSync } from 'node:fs';
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

/** Synthesizes once for every stack that tests start, and starts one for all test files; tests that move its clock or inject faults start their own. */
export default async function sharedStack(project: TestProject): Promise<() => Promise<void>> {
  const assembly = mkdtempSync(join(tmpdir(), 'mailwright-assembly-'));
  await synthesize(assembly);
  // The files' own processes, and the stacks that they start, inherit both: what one stack has compiled the next one loads.
  process.env.MAILWRIGHT_ASSEMBLY = assembly;
  process.env.NODE_COMPILE_CACHE = join(assembly, 'compiled');
  const home = mkdtempSync(join(tmpdir(), 'mailwright-shared-'));
  const stack = await startStack({ env: { TMPDIR: home } });
  project.provide('origin', stack.origin);
  project.provide('folder', dirname(globSync(join(home, '*', 'stack.json'))[0]!));
  return async () => {
    await stack.stop();
    rmSync(assembly, { recursive: true });
    rmSync(home, { recursive: true });
  };
}
