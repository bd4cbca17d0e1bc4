import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, inject, it } from 'vitest';
import { awsOf } from '../../support/stack.ts';

const aws = awsOf(inject('folder'));
let TableName: string;

/** Calls of the table as those of a function. */
function as(name: string) {
  const credentials = { ...aws.credentials, accessKeyId: `mailwright-dev-${name}` };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...aws, credentials }));
  const outcome = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error: Error) => error.name,
    );
  const signingKey = { pk: 'PLATFORM', sk: 'SIGNING_KEY' };
  return {
    readSigningKey: () => outcome(client.send(new GetCommand({ TableName, Key: signingKey }))),
    replaceSigningKey: () => {
      const Put = { TableName, Item: { ...signingKey, secret: 'ours' }, ConditionExpression: 'pk = sk' };
      return outcome(client.send(new TransactWriteCommand({ TransactItems: [{ Put }] })));
    },
    remove: (pk: string) => outcome(client.send(new DeleteCommand({ TableName, Key: { pk, sk: 'NONE' } }))),
  };
}

beforeAll(async () => {
  const { TableNames } = await new DynamoDBClient(aws).send(new ListTablesCommand());
  TableName = TableNames![0]!;
});

const refused = 'AccessDeniedException';

it('lets only functions that use the platform’s rows read or write the key that signs links', async () => {
  expect([await as('pages').readSigningKey(), await as('send-page').readSigningKey()]).toEqual(['done', 'done']);
  for (const name of ['ai', 'lists', 'webhooks', 'reconcile']) {
    expect(await as(name).readSigningKey(), name).toBe(refused);
    expect(await as(name).replaceSigningKey(), name).toBe(refused);
  }
});

it('lets a function delete nothing, finished jobs alone, or any item, as its code does', async () => {
  const removals = async (name: string) => [await as(name).remove('DUE#0'), await as(name).remove('TEAM#0#CONTACT')];
  expect(await removals('reconcile')).toEqual([refused, refused]);
  expect(await removals('send-page')).toEqual(['done', refused]);
  expect(await removals('contacts')).toEqual(['done', 'done']);
});
