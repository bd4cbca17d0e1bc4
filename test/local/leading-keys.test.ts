import { expect, it } from 'vitest';
import { readCall } from '../../local/aws/calls.ts';
import type { Resource, Resources } from '../../local/template/resource.ts';

const schema = (name: string) => [
  { AttributeName: `${name}sk`, KeyType: 'RANGE' },
  { AttributeName: `${name}pk`, KeyType: 'HASH' },
];
const GlobalSecondaryIndexes = [{ IndexName: 'gsi1', KeySchema: schema('gsi1') }];
const table = { name: 'main', properties: { KeySchema: schema(''), GlobalSecondaryIndexes } } as unknown as Resource;
const resources = { all: [table], ofType: () => [table] } as unknown as Resources;
const environment = { region: 'us-east-1', accountId: '000000000000', awsEndpoint: '', apiEndpoint: '' };

/** The partition keys of a call by its action. */
function keysOf(operation: string, input: object): Record<string, string[] | undefined> {
  const headers = {
    authorization: 'AWS4-HMAC-SHA256 Credential=caller/20261120/us-east-1/dynamodb/aws4_request',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
  };
  const call = readCall(
    { method: 'POST', path: '/', headers, body: Buffer.from(JSON.stringify(input)) },
    environment,
    resources,
  );
  return Object.fromEntries(call!.permissions().map(({ action, leadingKeys }) => [action, leadingKeys?.()]));
}

const key = (pk: string) => ({ sk: { S: 'PLATFORM' }, pk: { S: pk } });
const TableName = 'main';

it('finds the partition key of an item that is read or written, and of no attribute inside it', () => {
  expect(keysOf('GetItem', { TableName, Key: key('a') })).toEqual({ 'dynamodb:GetItem': ['a'] });
  const Item = { metadata: { M: { pk: { S: 'PLATFORM' } } }, ...key('b') };
  expect(keysOf('PutItem', { TableName, Item })).toEqual({ 'dynamodb:PutItem': ['b'] });
});

it('finds the key of every item of a batch, and those of a transaction by their action', () => {
  expect(keysOf('BatchGetItem', { RequestItems: { main: { Keys: [key('a'), key('b')] } } })).toEqual({
    'dynamodb:BatchGetItem': ['a', 'b'],
  });
  const requests = [{ PutRequest: { Item: key('a') } }, { DeleteRequest: { Key: key('b') } }];
  expect(keysOf('BatchWriteItem', { RequestItems: { main: requests } })).toEqual({
    'dynamodb:BatchWriteItem': ['a', 'b'],
  });
  const TransactItems = [
    { Put: { Item: key('a'), TableName } },
    { Delete: { Key: key('b'), TableName } },
    { Put: { Item: key('c'), TableName } },
  ];
  expect(keysOf('TransactWriteItems', { TransactItems })).toEqual({
    'dynamodb:PutItem': ['a', 'c'],
    'dynamodb:DeleteItem': ['b'],
  });
});

it('finds the partition key that a query names, of the table or an index', () => {
  const ExpressionAttributeValues = { ':pk': { S: 'a' }, ':sk': { S: 'b' } };
  const query = (KeyConditionExpression: string, more: object = {}) =>
    keysOf('Query', { TableName, KeyConditionExpression, ExpressionAttributeValues, ...more });
  expect(query('sk = :sk AND pk = :pk')).toEqual({ 'dynamodb:Query': ['a'] });
  expect(query('#k = :pk', { ExpressionAttributeNames: { '#k': 'pk' } })).toEqual({ 'dynamodb:Query': ['a'] });
  expect(query('gsi1pk = :pk', { IndexName: 'gsi1' })).toEqual({ 'dynamodb:Query': ['a'] });
});
