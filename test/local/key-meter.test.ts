import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDynamoDb } from '../../local/aws/dynamodb.ts';
import type { DynamoDb } from '../../local/aws/tables.ts';
import { openDataFolder } from '../../local/data-folder.ts';
import { KeyMeter } from '../../local/key-meter.ts';
import { SortKeyHeat } from '../../local/sort-key-heat.ts';
import type { Resource } from '../../local/template/resource.ts';
import { Usage } from '../../local/usage.ts';
import { newFolder } from './sample-stack.ts';

const index = (name: string) => ({
  IndexName: name,
  KeySchema: [
    { AttributeName: `${name}pk`, KeyType: 'HASH' },
    { AttributeName: `${name}sk`, KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'KEYS_ONLY' },
});
const names = ['pk', 'sk', 'gsi1pk', 'gsi1sk', 'gsi2pk', 'gsi2sk'];
const properties = {
  AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [index('gsi1'), index('gsi2')],
};

let engine: DynamoDb;
const TableName = 'metered';
const tables = [{ name: TableName, properties } as unknown as Resource];
const usage = new Usage(
  (caller) => caller,
  () => 0,
  tables,
);

beforeAll(async () => {
  const folder = openDataFolder({ path: newFolder(), ephemeral: true });
  engine = await openDynamoDb(folder, (detail) => {
    throw new Error(detail);
  });
  await send('CreateTable', { TableName, BillingMode: 'PAY_PER_REQUEST', ...properties });
});
afterAll(() => engine.stop());

function send(operation: string, input: object, caller = 'writer') {
  const call = { service: 'dynamodb', operation, caller, permissions: () => [] };
  return usage.metered(call, Buffer.from(JSON.stringify(input)), (body, as = operation) =>
    engine.forward(
      {
        'content-type': 'application/x-amz-json-1.0',
        'content-length': String(body.length),
        'x-amz-target': `DynamoDB_20120810.${as}`,
        'x-amz-date': '20261120T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=a/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body,
    ),
  );
}

const attributes = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }]));
const update = (pk: string, sk: string, set: Record<string, string>) => ({
  TableName,
  Key: attributes({ pk, sk }),
  UpdateExpression: `SET ${Object.keys(set).map((name) => `${name} = :${name}`)}`,
  ExpressionAttributeValues: attributes(Object.fromEntries(Object.entries(set).map(([name, S]) => [`:${name}`, S]))),
});

it('sums what the engine reports, by partition key of the table and of each index', async () => {
  usage.start({ keys: true });
  const long = 'x'.repeat(1_500);
  await send('PutItem', { TableName, Item: attributes({ pk: 'a', sk: '1', gsi1pk: 'i', gsi1sk: '1', long }) });
  await send('UpdateItem', update('a', '1', { gsi1sk: '2' }));
  await send('UpdateItem', update('a', '1', { remark: 'value' }), 'other');
  await send('TransactWriteItems', {
    TransactItems: [
      { Put: { TableName, Item: attributes({ pk: 'b', sk: '1', gsi2pk: 'j', gsi2sk: '1' }) } },
      { Update: update('a', '1', { remark: 'again' }) },
      {
        ConditionCheck: {
          TableName,
          Key: attributes({ pk: 'c', sk: '1' }),
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      },
    ],
  });
  const DeleteRequest = { Key: attributes({ pk: 'b', sk: '1' }) };
  const PutRequest = { Item: attributes({ pk: 'c', sk: '2' }) };
  await send('BatchWriteItem', { RequestItems: { [TableName]: [{ DeleteRequest }, { PutRequest }] } });
  const { keys = [], capacity } = usage.stop();
  const units = Object.fromEntries(keys.map(({ index, key, units }) => [`${index} ${key}`.trim(), units]));
  // The first write creates an index entry, the second one removes and creates one.
  expect(units).toEqual({ a: 2 + 2 + 2 + 4, 'gsi1 i': 1 + 2, b: 2 + 1, 'gsi2 j': 1 + 1, c: 2 + 1 });
  expect(capacity.write).toBe(Object.values(units).reduce((sum, each) => sum + each, 0));
  expect(keys[0]!.functions).toEqual({ writer: 8, other: 2 });
});

it('counts a write that its condition refused', async () => {
  usage.start({ keys: true });
  const refused = { ...update('nobody', '1', { remark: 'value' }), ConditionExpression: 'attribute_exists(pk)' };
  const answer = await send('UpdateItem', refused);
  expect([answer.status, String(answer.body)]).toEqual([400, expect.stringContaining('ConditionalCheckFailed')]);
  const { keys, capacity } = usage.stop();
  expect(keys).toMatchObject([{ index: '', key: 'nobody', units: 1 }]);
  expect(capacity.write).toBe(1);
});

it('keeps the sum of a hot key among more keys than it remembers', async () => {
  const meter = new KeyMeter(tables, 10);
  for (const pk of ['hot', 'hot', ...Array.from({ length: 30 }, (_, at) => `cold ${at}`), 'hot']) {
    const body = Buffer.from(JSON.stringify({ TableName, Item: attributes({ pk, sk: '0' }) }));
    const read = async (operation: string, input: object) => JSON.parse(String((await send(operation, input)).body));
    await meter.meter({ operation: 'PutItem', body, caller: 'writer' }, read, () =>
      send('PutItem', JSON.parse(String(body))),
    );
  }
  expect(meter.report()[0]).toMatchObject({ key: 'hot', units: 3 });
  expect(meter.report().length).toBeLessThanOrEqual(10);
});

describe('the share of the hottest eighth of a key', () => {
  const heatOf = (sortKey: (at: number) => string) => {
    const heat = new SortKeyHeat();
    for (let at = 0; at < 2_000; at++) heat.add(sortKey(at), 1);
    return heat.hottestShare;
  };
  const padded = (number: number) => String(number).padStart(12, '0');

  it.each([
    ['one item', () => 'SEQ'],
    ['sort keys in order', (at: number) => `user-${padded(at)}`],
    ['keys of four writers, each some milliseconds behind', (at: number) => `at-${padded(at * 4 - (at % 4) * 50)}`],
    ['sort keys in descending order', (at: number) => `user-${padded(1_000_000 - at)}`],
    ['numbers that a measurement writes in another order', (at: number) => padded((at * 7_919) % 100_003)],
    ['times', (at: number) => new Date((at * 7_919) % 100_003).toISOString()],
  ])('is all of it for %s, which AWS cannot split', (_what, sortKey) => {
    expect(heatOf(sortKey)).toBeGreaterThan(0.8);
  });

  it.each([
    ['addresses', (at: number) => `${((at * 7_919) % 100_003).toString(36)}@example.com`],
    ['sixteen items in turn', (at: number) => String(at % 16)],
  ])('is little for %s, which AWS splits', (_what, sortKey) => {
    expect(heatOf(sortKey)).toBeLessThan(0.25);
  });

  it('is one while too few writes are known', () => {
    const heat = new SortKeyHeat();
    for (let at = 0; at < 60; at++) heat.add(String(at * 7_919), 1);
    expect(heat.hottestShare).toBe(1);
  });
});
