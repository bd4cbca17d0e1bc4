import { expect, it } from 'vitest';
import { Transactions } from '../../local/aws/transactions.ts';
import type { Resources } from '../../local/template/resource.ts';

const KeySchema = [{ AttributeName: 'pk' }, { AttributeName: 'sk' }];
const resources = { ofType: () => [{ name: 'T', properties: { KeySchema } }] } as unknown as Resources;
const key = (sk: string) => ({ pk: { S: 'a' }, sk: { S: sk } });
const put = (sk: string) => ({ Put: { TableName: 'T', Item: { more: { N: '1' }, ...key(sk) } } });
const check = (sk: string) => ({ ConditionCheck: { TableName: 'T', Key: key(sk) } });
const passed = { status: 200, headers: {}, body: '{}' };
const body = (input: object) => Buffer.from(JSON.stringify(input));
const transaction = (...TransactItems: object[]) => body({ TransactItems });
const single = (sk: string) => body({ TableName: 'T', Key: key(sk) });

it('refuses a transaction of two operations on one item, as DynamoDB does', async () => {
  const transactions = new Transactions(resources);
  const pass = async () => passed;
  const refused = await transactions.run('TransactWriteItems', transaction(put('1'), check('1')), pass);
  expect(refused.status).toBe(400);
  expect(String(refused.body)).toContain('ValidationException');
  expect(await transactions.run('TransactWriteItems', transaction(put('1'), check('2')), pass)).toBe(passed);
});

it('refuses writes to the items of a transaction under way, as DynamoDB does', async () => {
  const transactions = new Transactions(resources);
  const answer = Promise.withResolvers<typeof passed>();
  const first = transactions.run('TransactWriteItems', transaction(put('1'), check('2')), () => answer.promise);
  const pass = async () => passed;
  const run = (operation: string, input: Buffer) => transactions.run(operation, input, pass);
  const second = await run('TransactWriteItems', transaction(put('3'), put('2')));
  expect(JSON.parse(String(second.body))).toMatchObject({
    __type: expect.stringContaining('TransactionCanceledException'),
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
  });
  expect(String((await run('UpdateItem', single('1'))).body)).toContain('TransactionConflictException');
  expect(await run('UpdateItem', single('3'))).toBe(passed);
  expect(await run('GetItem', single('1'))).toBe(passed);
  answer.resolve(passed);
  expect(await first).toBe(passed);
  expect(await run('UpdateItem', single('1'))).toBe(passed);
  expect(await run('TransactWriteItems', transaction(put('3'), put('2')))).toBe(passed);
});
