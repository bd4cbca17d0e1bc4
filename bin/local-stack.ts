import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** A running local stack, as described in its data folder. */
export interface LocalStack {
  /** The endpoint for AWS clients. */
  awsEndpoint: string;
  /** The address of its API, with `/v1`, and the key of its demo team. */
  api: { base_url: string; api_key: string };
}

/** An error that the user can fix; printed without a stack trace. */
export class Explained extends Error {}

/** The error for a local stack that is not running. */
export function notRunning(): Explained {
  const path = dataFolder();
  const shown = relative(process.cwd(), path);
  return new Explained(
    `No local stack is running on ${shown.startsWith('..') ? path : shown}/: ` +
      'start one with "npm start" in another terminal.',
  );
}

/** Finds the local stack of this folder (or of MAILWRIGHT_DATA); throws `notRunning` when there is none. */
export function findLocalStack(): LocalStack {
  const { pid, aws_endpoint } = readJson<{ pid: number; aws_endpoint: string }>('stack.json');
  if (!isAlive(pid)) throw notRunning();
  return { awsEndpoint: aws_endpoint, api: readJson('credentials.json') };
}

/** The data folder of the local stack: MAILWRIGHT_DATA, or `.local`. */
export const dataFolder = (): string => resolve(process.env.MAILWRIGHT_DATA ?? '.local');

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
