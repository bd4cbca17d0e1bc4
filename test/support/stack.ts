import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { synthesize } from '../../local/template/assembly.ts';

/** A local stack in a separate process. */
export interface Stack {
  /** Without `/v1`. */
  origin: string;
  process: ChildProcess;
  stop(): Promise<void>;
  /** Sends SIGKILL: nothing is cleaned up. */
  kill(): Promise<void>;
  /** Kills it, and starts another one on its data and its port, which is in teams' base URLs. */
  restart(): Promise<Stack>;
}

interface StackOptions {
  data?: string;
  port?: number;
  context?: Record<string, string>;
  assembly?: string;
  env?: Record<string, string>;
  /** Functions reach the services over sockets, not within the process. */
  sockets?: boolean;
}

/**
 * Starts the program of `npm start` on a free port, on the setup's assembly or on one with a `context`, as for
 * `cdk -c`, or on the `assembly` of a folder. With `data` it is durable, else ephemeral.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const where = options.data ? ['--data', options.data] : ['--ephemeral'];
  const what = ['--assembly', options.assembly ?? (await assemblyWith(options.context))];
  if (options.sockets) what.push('--sockets');
  const child = spawn(process.execPath, ['bin/run.mjs', 'local/main.ts', ...where, ...what], {
    env: { ...process.env, ...options.env, PORT: String(options.port ?? 0) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  let output = '';
  const origin = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const match = /API\s+(http:\/\/\S+)\/v1/.exec(output);
      if (match && output.includes('Ctrl-C')) resolve(match[1]!);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then(() => reject(new Error(`the local stack did not start:\n${output}`)));
  });
  const kill = () => end('SIGKILL');
  const restart = async () => {
    await kill();
    return startStack({ ...options, port: Number(new URL(origin).port) });
  };
  return { origin, process: child, stop: () => end('SIGTERM'), kill, restart };
}

/** The folder of the setup's assembly; one with a context is synthesized beside it on first use. */
async function assemblyWith(context: Record<string, string> = {}): Promise<string> {
  const { MAILWRIGHT_ASSEMBLY: assembly } = process.env;
  if (!assembly) throw new Error('stacks are started by tests of the projects that synthesize in their setup');
  if (Object.keys(context).length === 0) return assembly;
  const folder = join(dirname(assembly), encodeURIComponent(new URLSearchParams(context).toString()));
  if (existsSync(folder)) return folder;
  const made = mkdtempSync(`${folder}-`);
  await synthesize(made, context);
  // Another process may have been faster.
  await rename(made, folder).catch(() => rm(made, { recursive: true }));
  return folder;
}

/** The configuration of an SDK client for the stack of a data folder. */
export function awsOf(folder: string) {
  const { aws_endpoint } = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as { aws_endpoint: string };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'local' };
  return { endpoint: aws_endpoint, region: 'us-east-1', credentials };
}
