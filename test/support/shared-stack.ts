import type { TestProject } from 'vitest/node';
import { startStack } from './stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    origin: string;
  }
}

/** One local stack for all test files; tests that move its clock or inject faults start their own. */
export default async function sharedStack(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack();
  project.provide('origin', stack.origin);
  return () => stack.stop();
}
