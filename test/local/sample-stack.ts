import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { writeSample } from './sample-assembly.ts';

/** A running sample stack. */
export interface SampleStack {
  origin: string;
  awsEndpoint: string;
  data: string;
  /** Its standard output and error so far. */
  output(): string;
  // biome-ignore lint/suspicious/noExplicitAny: tests know the shape of the answer
  call(path: string, body?: unknown, method?: string): Promise<{ status: number; headers: Headers; body: any }>;
  /** Performs an operation of the sample's api function. */
  // biome-ignore lint/suspicious/noExplicitAny: tests know the shape of the answer
  operate(operation: string, input?: unknown): Promise<any>;
  advance(seconds: number): Promise<void>;
  idle(): Promise<void>;
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const root = mkdtempSync(join(tmpdir(), 'mailwright-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A folder that is removed after the test file. */
export function newFolder(): string {
  return mkdtempSync(join(root, 'data-'));
}

/**
 * Starts the local stack on the sample system; rejects with its output when it exits instead. The stack ends with the
 * test, or, with `whole: 'file'`, when the caller ends it.
 */
export async function startSample(
  options: {
    data?: string;
    port?: number;
    environment?: Record<string, string>;
    change?: (resources: Record<string, unknown>) => void;
    whole?: 'file';
  } = {},
): Promise<SampleStack> {
  const data = options.data ?? newFolder();
  const assembly = newFolder();
  writeSample(assembly, options.change);
  const child = spawn(process.execPath, ['local/main.ts', '--data', data, '--assembly', assembly], {
    env: { ...process.env, PORT: String(options.port ?? 0), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return (await ended)[0];
  };
  if (options.whole !== 'file') onTestFinished(async () => void (await end()));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await new Promise<void>((done, fail) => {
    child.stdout.on('data', () => output.includes('Ctrl-C') && done());
    void ended.then(() => fail(new Error(output)));
  });
  const { base_url: origin, aws_endpoint } = JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8'));
  const call: SampleStack['call'] = async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(origin + path, { method, body: sent as string, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
  };
  return {
    origin,
    awsEndpoint: aws_endpoint,
    data,
    output: () => output,
    call,
    operate: async (operation, input) => (await call('/sample', { operation, input })).body,
    advance: async (seconds) => void (await call('/_local/clock', { advance_seconds: seconds })),
    async idle() {
      const { status, body } = await call('/_local/idle?timeout_ms=5000');
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
    end,
  };
}
