import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Where a running local stack answers, as it writes it into its data folder. */
export interface LocalStack {
  base_url: string;
  /** The endpoint for AWS clients. */
  aws_endpoint: string;
}

/** Something the person at the terminal can put right; shown as one line. */
export class Explained extends Error {}

/** The message for every way in which there is no local stack to talk to. */
export function notRunning(): Explained {
  const path = dataFolder();
  const shown = relative(process.cwd(), path);
  return new Explained(
    `No local stack is running on ${shown.startsWith('..') ? path : shown}/: start one with "npm start" in another terminal.`,
  );
}

/** Finds the local stack of this folder (or of MAILWRIGHT_DATA); throws `notRunning` when there is none. */
export function findLocalStack(): LocalStack {
  const stack = readJson<LocalStack & { pid: number }>('stack.json');
  if (!isAlive(stack.pid)) throw notRunning();
  return stack;
}

/** The key of the demo team of the local stack. */
export function demoKey(): string {
  return readJson<{ api_key: string }>('credentials.json').api_key;
}

function dataFolder(): string {
  return resolve(process.env.MAILWRIGHT_DATA ?? '.local');
}

function readJson<T>(name: string): T {
  try {
    return JSON.parse(readFileSync(join(dataFolder(), name), 'utf8')) as T;
  } catch {
    throw notRunning();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
