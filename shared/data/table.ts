import { randomUUID } from 'node:crypto';
import {
  DeleteCommand,
  type DeleteCommandInput,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { config } from '../aws/config.ts';
import type { Key } from './keys.ts';
import {
  client,
  conditionFailed,
  conflicting,
  failedWrites,
  type Item,
  inProgress,
  retried,
  retryWhile,
} from './table-client.ts';

export { batchGet, batchPut } from './table-batch.ts';
export { changes, editOf } from './table-changes.ts';
export { conditionFailed, type Item, pause, retried } from './table-client.ts';

type WithoutTable<T> = Omit<T, 'TableName'>;
type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** One write of a transaction, without its table's name. */
export type TransactionWrite = { [K in keyof Write]?: WithoutTable<NonNullable<Write[K]>> };

/** An input with the table's name, and with what `#name` stands for in its expressions: the attribute `name`. */
function inTable<T extends Item>(input: T): T & { TableName: string } {
  const { UpdateExpression, ConditionExpression, KeyConditionExpression, FilterExpression, ProjectionExpression } =
    input;
  const expressions = [UpdateExpression, ConditionExpression, KeyConditionExpression, FilterExpression];
  const names = new Set([...expressions, ProjectionExpression].join(' ').match(/#\w+/g));
  const ExpressionAttributeNames = {
    ...Object.fromEntries([...names].map((name) => [name, name.slice(1)])),
    ...input.ExpressionAttributeNames,
  };
  return { ...input, TableName: config.tableName, ...(names.size > 0 && { ExpressionAttributeNames }) };
}

/** The result of a write; undefined when its condition failed. */
async function unlessRefused<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (conditionFailed(error)) return undefined;
    throw error;
  }
}

/** Reads one item, strongly consistent unless asked otherwise; undefined when absent. */
export async function get<T extends Item>(key: Key, options: { eventual?: boolean } = {}): Promise<T | undefined> {
  const { Item } = await client().send(
    new GetCommand({ TableName: config.tableName, Key: key, ConsistentRead: !options.eventual }),
  );
  return Item as T | undefined;
}

/** Writes one item whole. */
export async function put(input: WithoutTable<PutCommandInput>): Promise<void> {
  await retryWhile(conflicting, () => client().send(new PutCommand(inTable(input))));
}

/** Writes one item unless its key is taken; false when it was. */
export async function putNew(item: Item): Promise<boolean> {
  const write = put({ Item: item, ConditionExpression: 'attribute_not_exists(pk)' }).then(() => true);
  return (await unlessRefused(write)) ?? false;
}

const sendUpdate = (input: WithoutTable<UpdateCommandInput>) =>
  retryWhile(conflicting, () => client().send(new UpdateCommand(inTable(input))));

/** Updates one item and returns the attributes that `ReturnValues` asks for. */
export async function update<T extends Item>(input: WithoutTable<UpdateCommandInput>): Promise<T | undefined> {
  return (await sendUpdate(input)).Attributes as T | undefined;
}

/** Updates one item if its condition holds; undefined when it did not. */
export async function updateIf<T extends Item>(input: WithoutTable<UpdateCommandInput>): Promise<T | undefined> {
  const outcome = await unlessRefused(sendUpdate({ ReturnValues: 'ALL_NEW', ...input }));
  return outcome && ((outcome.Attributes ?? {}) as T);
}

/** Updates one item if its condition holds; false when it did not. */
export async function writeIf(input: WithoutTable<UpdateCommandInput>): Promise<boolean> {
  return (await unlessRefused(sendUpdate(input))) !== undefined;
}

/** Adds to counters if the condition holds; true only when that surely happened, and once. */
export async function addOnce(input: WithoutTable<UpdateCommandInput>): Promise<boolean> {
  const outcome = await unlessRefused(sendUpdate(input));
  return outcome !== undefined && !retried(outcome);
}

/** Deletes one item. */
export async function remove(input: WithoutTable<DeleteCommandInput>): Promise<void> {
  await retryWhile(conflicting, () => client().send(new DeleteCommand(inTable(input))));
}

/** Deletes one item if its condition holds; false when it did not. */
export async function removeIf(input: WithoutTable<DeleteCommandInput>): Promise<boolean> {
  return (await unlessRefused(remove(input).then(() => true))) ?? false;
}

/** Sends a transaction under one token: however often it is sent, it takes effect once at most. */
function transaction(writes: TransactionWrite[]): () => Promise<unknown> {
  const TransactItems = writes.map(
    (write) => Object.fromEntries(Object.entries(write).map(([kind, input]) => [kind, inTable(input)])) as Write,
  );
  const input = { TransactItems, ClientRequestToken: randomUUID() };
  return () => retryWhile(inProgress, () => client().send(new TransactWriteCommand(input)));
}

/** Writes up to 100 items together or none; runs again when another transaction was in the way. */
export async function transact(writes: TransactionWrite[]): Promise<void> {
  await retryWhile(conflicting, transaction(writes));
}

/** Writes together or none, once; false when a condition failed or another transaction was in the way. */
export async function transactOnce(writes: TransactionWrite[]): Promise<boolean> {
  try {
    await transaction(writes)();
    return true;
  } catch (error) {
    if (conditionFailed(error) || conflicting(error)) return false;
    throw error;
  }
}

/** Whether two of the writes are to the same item, which no transaction can hold. */
export function writesTwice(writes: readonly TransactionWrite[]): boolean {
  const items = writes.map(({ Put, Update, Delete, ConditionCheck }) => {
    const { pk, sk } = (Put?.Item ?? (Update ?? Delete ?? ConditionCheck)!.Key) as Key;
    return JSON.stringify([pk, sk]);
  });
  return new Set(items).size < items.length;
}

/** Writes together or none; false when a condition failed. */
export async function transactIf(writes: TransactionWrite[]): Promise<boolean> {
  return (await refusals(writes)).length === 0;
}

/** Writes together or none; the indexes of the writes whose conditions failed, empty when all is written. */
export async function refusals(writes: TransactionWrite[]): Promise<number[]> {
  try {
    await transact(writes);
    return [];
  } catch (error) {
    if (conditionFailed(error)) return failedWrites(error);
    throw error;
  }
}

const sendQuery = (input: WithoutTable<QueryCommandInput>) => client().send(new QueryCommand(inTable(input)));

/** The key condition of a query: a partition of the table or an index, or its sort keys between two or by prefix. */
export function within(
  pk: string,
  { index = '', between, prefix }: { index?: 'gsi1' | 'gsi2' | ''; between?: [string, string]; prefix?: string } = {},
) {
  const range = between ? ` AND ${index}sk BETWEEN :low AND :high` : '';
  return {
    ...(index && { IndexName: index }),
    KeyConditionExpression: `${index}pk = :pk${prefix ? ` AND begins_with(${index}sk, :prefix)` : range}`,
    ExpressionAttributeValues: {
      ':pk': pk,
      ...(between && { ':low': between[0], ':high': between[1] }),
      ...(prefix && { ':prefix': prefix }),
    },
  };
}

/** The key condition of a query: the items of a partition whose sort keys follow one. */
export const following = (pk: string, sk: string) => ({
  KeyConditionExpression: 'pk = :pk AND sk > :after',
  ExpressionAttributeValues: { ':pk': pk, ':after': sk },
});

/** One page of a query: at most `Limit` items and the key to go on from. */
export async function query<T extends Item>(
  input: WithoutTable<QueryCommandInput>,
): Promise<{ items: T[]; next: Record<string, unknown> | undefined }> {
  const { Items = [], LastEvaluatedKey } = await sendQuery(input);
  return { items: Items as T[], next: LastEvaluatedKey };
}

/** All items of a query, page by page. */
export async function* queryAll<T extends Item>(input: WithoutTable<QueryCommandInput>): AsyncGenerator<T> {
  let next: Record<string, unknown> | undefined;
  do {
    const page: Awaited<ReturnType<typeof query<T>>> = await query<T>({ ...input, ExclusiveStartKey: next });
    yield* page.items;
    next = page.next;
  } while (next);
}

/** All items of a query together. */
export async function all<T extends Item>(input: WithoutTable<QueryCommandInput>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of queryAll<T>(input)) found.push(item);
  return found;
}
