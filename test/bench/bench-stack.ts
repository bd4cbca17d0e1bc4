import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageReport } from '../../local/usage.ts';
import { type RawTable, rawTable } from '../support/table.ts';

/** A response of the stack. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the bench knows what it requested
  body: any;
}

/** The bench's local stack. */
export interface BenchStack {
  /** Milliseconds from the command to the API's first response. */
  startMilliseconds: number;
  /** Calls the API as the bench's team (`path` without `/v1`), or a control (`path` from `/_local`). */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The usage of `work` and of everything that it caused; with `keys` by partition key too, which is slow. */
  metered(work: () => Promise<unknown>, options?: { keys?: boolean }): Promise<UsageReport>;
  /** Moves the stack's clock on; a `frozen` one moves in no other way, and functions do not sleep in real time. */
  clock(input: { advance_seconds?: number; frozen?: boolean }): Promise<void>;
  /** The table, to fill it faster than by the API. */
  table(): Promise<RawTable>;
  /** The process that all functions run in. */
  pid(): number;
  /** Waits until the stack is idle; throws after ten minutes. */
  idle(): Promise<void>;
  /** The stack's data folder. */
  dataFolder(): string;
  stop(): Promise<void>;
}

/** The feedback of a campaign of 100,000 takes minutes. */
const patienceMinutes = 10;

/** The verified domain of the bench's team. */
export const senderDomain = 'bench.example';

/**
 * Runs `npm start -- --ephemeral` on a free port with its files in a temporary folder, allows webhooks to this machine,
 * and creates a team on the enterprise plan.
 */
export async function startBenchStack(): Promise<BenchStack> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'));
  const begun = performance.now();
  const npm = spawn('npm', ['start', '--silent', '--', '--ephemeral', '-c', 'webhookAllowLoopback=true'], {
    detached: true,
    env: { ...process.env, PORT: String(port), TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(npm, 'exit');
  const stop = async () => {
    // npm and the stack are one process group; npm may exit before the stack does.
    signalGroup(npm.pid!, 'SIGTERM');
    await exited;
    while (signalGroup(npm.pid!, 0)) await sleep(20);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const origin = `http://127.0.0.1:${port}`;
    await firstAnswer(`${origin}/v1/me`, npm);
    const startMilliseconds = performance.now() - begun;
    const team = await request('POST', `${origin}/_local/teams`, {
      name: 'Bench',
      plan: 'enterprise',
      domains: [senderDomain],
    });
    const authorization = { authorization: `Bearer ${team.body.api_key}` };
    const call: BenchStack['call'] = (method, path, body, headers) =>
      path.startsWith('/_local')
        ? request(method, origin + path, body)
        : request(method, `${origin}/v1${path}`, body, { ...authorization, ...headers });
    const idle = async () => {
      for (let minute = 1; ; minute++) {
        const { status, body } = await call('GET', '/_local/idle?timeout_ms=60000');
        if (status === 200) return;
        if (minute === patienceMinutes) throw new Error(`The stack did not come to rest: ${body.waiting_for}`);
      }
    };
    const metered: BenchStack['metered'] = async (work, options = {}) => {
      await call('POST', '/_local/usage', options);
      await work();
      await idle();
      return (await call('DELETE', '/_local/usage')).body as UsageReport;
    };
    const clock: BenchStack['clock'] = async (input) => {
      const { status, body } = await call('POST', '/_local/clock', input);
      if (status !== 200) throw new Error(`The clock did not move: ${body.message}`);
    };
    const published = globSync(join(folder, '*', 'stack.json'))[0]!;
    const dataFolder = () => dirname(published);
    const table = () => rawTable(dataFolder());
    const pid = () => JSON.parse(readFileSync(published, 'utf8')).pid;
    return { startMilliseconds, call, metered, clock, table, pid, idle, dataFolder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Signals a process group; false when it has ended. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    return false;
  }
}

async function request(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

/** Waits until the API responds; 401 will do. */
async function firstAnswer(url: string, npm: { exitCode: number | null }): Promise<void> {
  for (;;) {
    if (npm.exitCode !== null) throw new Error('npm start has ended');
    try {
      await fetch(url);
      return;
    } catch {
      await sleep(20);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
