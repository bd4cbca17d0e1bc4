import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { real } from '../clock.ts';
import { checkDatabase, type DataFolder, damagedFile } from '../data-folder.ts';
import { Problem } from '../problem.ts';
import { EngineConnections } from './engine-connections.ts';
import { connectDynamoDb } from './external-dynamodb.ts';
import type { DynamoDb } from './tables.ts';

const platform = `${process.platform}-${process.arch}`;
const engine = resolve(import.meta.dirname, `../../node_modules/@dynoxide/${platform}/dynoxide`);
const startAttempts = 3;

/** Starts the engine on the data folder, or connects to the server in AWS_ENDPOINT_URL_DYNAMODB. */
export async function openDynamoDb(folder: DataFolder, onExit: (detail: string) => void): Promise<DynamoDb> {
  const external = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (external) return connectDynamoDb(external, folder);
  if (!existsSync(engine)) {
    throw new Problem(
      `There is no DynamoDB engine for ${platform} in node_modules: start DynamoDB Local instead, and name it:\n\n` +
        '  docker run --rm -d -p 127.0.0.1:8000:8000 amazon/dynamodb-local \\\n' +
        '    -jar DynamoDBLocal.jar -inMemory -disableTelemetry\n' +
        '  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 npm start -- --ephemeral',
    );
  }
  await endLeftover(folder);
  if (!folder.ephemeral) checkDatabase(folder.file('dynamodb.sqlite'));
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const started = await startEngine(folder, port, onExit);
    if (typeof started !== 'string') {
      const connections = new EngineConnections(port);
      const forward: DynamoDb['forward'] = (headers, body) => connections.post(headers, body);
      return { external: false, endpoint: `http://127.0.0.1:${port}`, forward, ...started };
    }
    if (/not a valid|malformed|unable to open|disk image|corrupt/i.test(started))
      throw damagedFile(folder.file('dynamodb.sqlite'), started);
    if (attempt === startAttempts) throw new Problem(`The DynamoDB engine does not start: ${started}`);
  }
}

/** Runs the engine and kills it when standard input closes, that is, when this process ends for any reason. */
const watchdog =
  'exec 3<&0; "$@" </dev/null 3<&- & engine=$!; echo "pid $engine"; ' +
  '(cat <&3 >/dev/null; kill -9 $engine 2>/dev/null) & wait $engine';

async function startEngine(
  folder: DataFolder,
  port: number,
  onExit: (detail: string) => void,
): Promise<{ stop(): Promise<void> } | string> {
  const storage = folder.ephemeral ? [] : ['--db-path', folder.file('dynamodb.sqlite')];
  const command = ['-c', watchdog, 'sh', engine, ...storage, '--host', '127.0.0.1', '-p', String(port)];
  const child = spawn('/bin/sh', command, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let stopping = false;
  const ended = new Promise<void>((done) => child.on('close', () => done()));
  child.on('exit', () => child.stdin.end());
  const ready = new Promise<boolean>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-2_000);
        const pid = /^pid (\d+)$/m.exec(output)?.[1];
        if (pid && !folder.ephemeral) writeFileSync(folder.file('dynamodb.pid'), pid);
        if (output.includes('listening on')) done(true);
      });
    }
    void ended.then(() => done(false));
  });
  if (!(await ready)) return output.replace(/^pid \d+\s*/m, '').trim() || 'it ended without a message';
  void ended.then(() => stopping || onExit(output.trim()));
  return {
    async stop() {
      stopping = true;
      child.stdin.end();
      await ended;
    },
  };
}

/** Kills the engine of an earlier stack, if its process is still an engine that runs on this folder. */
async function endLeftover(folder: DataFolder): Promise<void> {
  const pidFile = folder.file('dynamodb.pid');
  if (!existsSync(pidFile)) return;
  const pid = readFileSync(pidFile, 'utf8').trim();
  const isOurs = () => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return command[0] === engine && command.includes(folder.file('dynamodb.sqlite'));
    } catch {
      return false;
    }
  };
  if (isOurs()) process.kill(Number(pid), 'SIGKILL');
  while (isOurs()) await real.sleep(10);
  rmSync(pidFile, { force: true });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await once(probe.close(), 'close');
  return port;
}
