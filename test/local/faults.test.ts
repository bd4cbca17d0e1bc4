import { DynamoDBClient, GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { type SampleStack, startSample } from './sample-stack.ts';

let stack: SampleStack;
let clients: ReturnType<typeof connect>;

function connect(endpoint: string) {
  const settings = {
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'operator', secretAccessKey: 'x' },
  };
  return {
    dynamodb: new DynamoDBClient(settings),
    sqs: new SQSClient(settings),
    ses: new SESv2Client(settings),
    states: new SFNClient(settings),
  };
}

beforeAll(async () => {
  stack = await startSample({ whole: 'file' });
  clients = connect(stack.awsEndpoint);
  return async () => void (await stack.end());
});

afterEach(async () => {
  await stack.call('/_local/faults', undefined, 'DELETE');
});

const inject = (fault: object) => stack.call('/_local/faults', fault);
const TableName = 'Sample-Table';
const put = (pk: string) => new PutItemCommand({ TableName, Item: { pk: { S: pk } } });
const send = (MessageBody: string) =>
  new SendMessageCommand({ QueueUrl: `${stack.awsEndpoint}/000000000000/Sample-Queue`, MessageBody });
const counted = async (pk: string) => (await stack.operate('get', pk))?.count?.N;

const calls = {
  dynamodb: () => clients.dynamodb.send(put('x')),
  sqs: () => clients.sqs.send(send('x')),
  ses: () => clients.ses.send(new GetAccountCommand({})),
  states: () =>
    clients.states.send(new StartExecutionCommand({ stateMachineArn: 'arn:aws:states:us-east-1:0:stateMachine:x' })),
};

it.each([
  ['dynamodb', 'PutItem', 'ProvisionedThroughputExceededException', 400],
  ['dynamodb', 'PutItem', 'ThrottlingException', 400],
  ['dynamodb', '*', 'InternalServerError', 500],
  ['sqs', 'SendMessage', 'ThrottlingException', 400],
  ['sqs', '*', 'InternalFailure', 500],
  ['ses', 'GetAccount', 'TooManyRequestsException', 429],
  ['ses', '*', 'InternalServiceErrorException', 500],
  ['states', 'StartExecution', 'ThrottlingException', 400],
] as const)('makes the SDK see %s %s fail with %s', async (service, operation, error, status) => {
  await inject({ service, operation, error });
  await expect(calls[service]()).rejects.toMatchObject({ name: error, $metadata: { httpStatusCode: status } });
});

it('cancels a transaction with a reason for each item', async () => {
  await inject({ service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException' });
  const TransactItems = ['a', 'b'].map((pk) => ({ Put: { TableName, Item: { pk: { S: pk } } } }));
  await expect(clients.dynamodb.send(new TransactWriteItemsCommand({ TransactItems }))).rejects.toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
  });
});

it('says that a transaction is in progress, which takes effect, once under its token', async () => {
  const fault = {
    service: 'dynamodb',
    operation: 'TransactWriteItems',
    error: 'TransactionInProgressException',
    count: 2,
  };
  await inject(fault);
  const adding = (ClientRequestToken: string, by = '1') => {
    const values = { ':by': { N: by } };
    const Update = { TableName, Key: { pk: { S: 'added' } }, UpdateExpression: 'ADD #n :by' };
    const names = { '#n': 'n' };
    const write = { ...Update, ExpressionAttributeNames: names, ExpressionAttributeValues: values };
    return clients.dynamodb.send(
      new TransactWriteItemsCommand({ TransactItems: [{ Update: write }], ClientRequestToken }),
    );
  };
  for (let call = 0; call < 2; call++)
    await expect(adding('first')).rejects.toMatchObject({ name: 'TransactionInProgressException' });
  const added = async () =>
    (await clients.dynamodb.send(new GetItemCommand({ TableName, Key: { pk: { S: 'added' } } }))).Item?.n?.N;
  expect(await added()).toBe('1');
  await adding('first');
  expect(await added()).toBe('1');
  await expect(adding('first', '2')).rejects.toMatchObject({ name: 'IdempotentParameterMismatchException' });
  await adding('second');
  expect(await added()).toBe('2');
});

it('fails the requested number of calls, and only those of the operation', async () => {
  await inject({ service: 'dynamodb', operation: 'PutItem', error: 'ThrottlingException', count: 2 });
  await clients.dynamodb.send(new GetItemCommand({ TableName, Key: { pk: { S: 'x' } } }));
  await expect(calls.dynamodb()).rejects.toThrow();
  await expect(calls.dynamodb()).rejects.toThrow();
  await calls.dynamodb();
});

it('concerns only calls with a text, and makes them slow where it says so', async () => {
  await inject({ service: 'dynamodb', operation: 'PutItem', error: 'ThrottlingException', containing: '"T1#' });
  await expect(clients.dynamodb.send(put('T1#a'))).rejects.toThrow();
  await clients.dynamodb.send(put('T2#a'));
  await stack.call('/_local/faults', undefined, 'DELETE');
  await inject({ service: 'dynamodb', operation: 'PutItem', error: 'slow', containing: '"T1#' });
  const slow = clients.dynamodb.send(put('T1#b'));
  await clients.dynamodb.send(put('T2#b'));
  const read = () => clients.dynamodb.send(new GetItemCommand({ TableName, Key: { pk: { S: 'T1#b' } } }));
  expect((await read()).Item).toBeUndefined();
  await slow;
  expect((await read()).Item).toBeDefined();
});

it('loses the answer of a call that takes effect', async () => {
  await inject({ service: 'dynamodb', operation: 'PutItem', error: 'lost_response', count: 1 });
  await expect(clients.dynamodb.send(put('lost'))).rejects.toThrow();
  const { Item } = await clients.dynamodb.send(new GetItemCommand({ TableName, Key: { pk: { S: 'lost' } } }));
  expect(Item).toEqual({ pk: { S: 'lost' } });
});

it('delivers a message twice', async () => {
  await inject({ service: 'sqs', operation: 'SendMessage', error: 'duplicate', count: 1 });
  await clients.sqs.send(send('twice'));
  await expect.poll(() => counted('twice')).toBe('2');
});

it('delays a message so that later ones overtake it, and is not idle meanwhile', async () => {
  await inject({ service: 'sqs', operation: 'SendMessage', error: 'reorder', count: 1 });
  await clients.sqs.send(send('held'));
  expect((await stack.call('/_local/idle?timeout_ms=0')).status).toBe(504);
  expect(await counted('held')).toBeUndefined();
  await stack.idle();
  expect(await counted('held')).toBe('1');
});

it('lists and clears faults, and explains why one is refused', async () => {
  const fault = { service: 'ses', operation: '*', error: 'TooManyRequestsException', rate: 0.5 };
  expect((await inject(fault)).body.data).toEqual([fault]);
  expect((await inject({ ...fault, rate: 2 })).status).toBe(422);
  expect((await inject({ ...fault, service: 'ec2' })).body.message).toContain('service must be one of');
  expect((await inject({ ...fault, error: 'duplicate' })).status).toBe(422);
  expect((await stack.call('/_local/faults', undefined, 'DELETE')).body.data).toEqual([]);
});

it('all controls are listed at /_local/, and at a path that is none of them', async () => {
  for (const [path, status] of [
    ['/_local/', 200],
    ['/_local', 200],
    ['/_local/nothing', 404],
  ] as const) {
    const answer = await stack.call(path);
    expect([path, answer.status]).toEqual([path, status]);
    expect(answer.body.controls).toContain('POST  /_local/faults');
  }
});
