import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDynamoDb } from '../../local/aws/external-dynamodb.ts';
import { createTables, dropTables } from '../../local/aws/tables.ts';
import type { DataFolder } from '../../local/data-folder.ts';
import type { Resources } from '../../local/template/resource.ts';

const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' }];
const resources = { ofType: () => [{ name: 'Table', properties: { KeySchema } }] } as unknown as Resources;
let sharedDb = false;
let tables = new Set<string>();

/** As far as it matters here, DynamoDB Local: tables by access key, or those of all together with `-sharedDb`. */
const engine = createServer(async (request, response) => {
  const { TableName } = (await json(request)) as { TableName: string };
  const key = /Credential=([a-zA-Z0-9]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'refused';
  const table = `${sharedDb ? '' : key} ${TableName}`;
  const operation = String(request.headers['x-amz-target']).split('.')[1];
  const answer = () => {
    if (operation === 'DescribeTable') return { Table: { KeySchema } };
    if (operation === 'DeleteTable') return { deleted: tables.delete(table) };
    if (tables.has(table)) return { __type: 'com.amazonaws.dynamodb.v20120810#ResourceInUseException' };
    return { created: tables.add(table).size };
  };
  response.end(JSON.stringify(answer()));
});

let endpoint: string;
beforeAll(async () => {
  await once(engine.listen(0, '127.0.0.1'), 'listening');
  endpoint = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
  return () => engine.closeAllConnections();
});
afterAll(() => void engine.close());

function newFolder(state: Record<string, string> = {}): DataFolder {
  const kept = new Map(Object.entries(state));
  const folder = { path: '/data', read: (key: string) => kept.get(key), write: kept.set.bind(kept) };
  return folder as unknown as DataFolder;
}

async function start(folder: DataFolder) {
  const dynamoDb = connectDynamoDb(endpoint, folder);
  await createTables(resources, dynamoDb, folder);
  return { end: () => dropTables(resources, dynamoDb) };
}

it('gives each data folder a table of its own, and finds it again', async () => {
  tables = new Set();
  const folder = newFolder();
  await start(folder);
  await start(newFolder());
  await start(folder);
  expect(tables.size).toBe(2);
});

it('finds the table of a data folder of an earlier version, which all folders shared', async () => {
  tables = new Set(['local Table']);
  await start(newFolder({ demo_team: '1' }));
  expect([...tables]).toEqual(['local Table']);
});

it('leaves the table of another stack alone where the engine shares them, and says what to do', async () => {
  sharedDb = true;
  tables = new Set();
  const first = await start(newFolder());
  await expect(start(newFolder())).rejects.toThrow(/has a table Table of another local stack: .*without -sharedDb/);
  await first.end();
  await start(newFolder());
  sharedDb = false;
});

it('says that the engine no longer has the table of the folder', async () => {
  tables = new Set();
  const folder = newFolder();
  await start(folder);
  tables.clear();
  for (const _ of ['first', 'again'])
    await expect(start(folder)).rejects.toThrow(/The table Table of the data folder \/data is not in the DynamoDB at/);
});

it('takes http addresses only', () => {
  for (const address of ['localhost:8000', 'https://dynamodb.eu-central-1.amazonaws.com', ''])
    expect(() => connectDynamoDb(address, newFolder())).toThrow(/must be an http address of a local engine/);
});
