import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { real } from '../clock.ts';
import { checkDatabase, type DataFolder, damagedFile } from '../data-folder.ts';
import { Problem } from '../problem.ts';
import type { Resource, Resources, Value } from '../template/resource.ts';
import { EngineConnections } from './engine-connections.ts';
import type { Answer } from './errors.ts';
import { connectDynamoDb, foreignTable, missingTable } from './external-dynamodb.ts';

const platform = `${process.platform}-${process.arch}`;
const engine = resolve(import.meta.dirname, `../../node_modules/@dynoxide/${platform}/dynoxide`);
const startAttempts = 3;

/** The DynamoDB engine: a child process of the stack, or an external server. */
export interface DynamoDb {
  endpoint: string;
  /** Whether it is an external server, which keeps its own data. */
  external: boolean;
  /** Forwards a request unchanged. */
  forward(headers: Record<string, string>, body: Buffer): Promise<Answer>;
  stop(): Promise<void>;
}

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

/**
 * Creates the tables of the template; throws a Problem when one exists with other keys or indexes, and when an external
 * engine has one that is not the folder's, or not the one that is.
 */
export async function createTables(resources: Resources, dynamoDb: DynamoDb, folder: DataFolder): Promise<void> {
  const had = (folder.read('tables_made') ?? folder.read('demo_team')) !== undefined;
  for (const table of resources.ofType('AWS::DynamoDB::Table')) {
    const wanted = tableInput(table);
    const created = await call(dynamoDb, 'CreateTable', wanted).catch((error: Error) => {
      throw new Problem(`No DynamoDB answers at ${dynamoDb.endpoint}: ${error.message}`);
    });
    if (created.__type?.includes('ResourceInUse')) {
      if (dynamoDb.external && !had) throw foreignTable(table.name, dynamoDb);
      const { Table: existing } = await call(dynamoDb, 'DescribeTable', { TableName: table.name });
      if (shape(existing) === shape(wanted)) continue;
      throw new Problem(
        `The table ${table.name} in the data folder has other keys or indexes than the template: ` +
          'delete the folder to begin afresh.',
      );
    }
    if (created.__type)
      throw new Problem(`The table ${table.name} could not be created: ${created.message ?? created.__type}`);
    if (dynamoDb.external && had) {
      await dropTable(dynamoDb, table);
      throw missingTable(table.name, dynamoDb, folder);
    }
    const ttl = table.properties.TimeToLiveSpecification;
    if (ttl) await call(dynamoDb, 'UpdateTimeToLive', { TableName: table.name, TimeToLiveSpecification: ttl });
  }
  folder.write('tables_made', 'yes');
}

/** Deletes what an ephemeral stack has stored in an external engine. */
export async function dropTables(resources: Resources, dynamoDb: DynamoDb): Promise<void> {
  for (const table of resources.ofType('AWS::DynamoDB::Table')) await dropTable(dynamoDb, table);
}

const dropTable = (dynamoDb: DynamoDb, { name: TableName }: Resource): Promise<Value> =>
  call(dynamoDb, 'DeleteTable', { TableName });

/** Keys and indexes of a table as one comparable string. */
function shape({ KeySchema, GlobalSecondaryIndexes = [] }: Value): string {
  const keys = (schema: Value[]) => schema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join();
  const indexes = GlobalSecondaryIndexes.map((index: Value) => `${index.IndexName} ${keys(index.KeySchema)}`).sort();
  return [keys(KeySchema), ...indexes].join(';');
}

function tableInput({ name: TableName, properties }: Resource): Value {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = properties;
  return { TableName, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode: 'PAY_PER_REQUEST' };
}

async function call(dynamoDb: DynamoDb, operation: string, input: Value): Promise<Value> {
  const body = Buffer.from(JSON.stringify(input));
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(body.length),
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'x-amz-date': new Date(real.now()).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
  const { body: answer } = await dynamoDb.forward(headers, body);
  return JSON.parse(String(answer));
}
