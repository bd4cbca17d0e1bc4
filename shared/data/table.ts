import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandOutput,
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
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

/** An item as it lies in the table. */
// biome-ignore lint/suspicious/noExplicitAny: entities give their items a type of their own
export type Item = Record<string, any>;
type WithoutTable<T> = Omit<T, 'TableName'>;
type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** One write of a transaction, without its table's name. */
export type TransactionWrite = { [K in keyof Write]?: Omit<NonNullable<Write[K]>, 'TableName'> };

let client: DynamoDBDocumentClient | undefined;

function table(): DynamoDBDocumentClient {
  client ??= DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 5,
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    }),
    {
      marshallOptions: { removeUndefinedValues: true },
    },
  );
  return client;
}

/** Waits a random while before another attempt, longer after each. */
export const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(1_000, 20 * 2 ** attempt)));

/** Whether a write was refused by its own condition (also the only reason of a cancelled transaction). */
export function conditionFailed(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ConditionalCheckFailedException') return true;
  return failedWrites(error).length > 0;
}

/** Whether a call was made more than once under the hood: an attempt whose answer was lost may have taken effect before the last one. */
export function retried(outcome: unknown): boolean {
  return ((outcome as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1) > 1;
}

/** The indexes of a cancelled transaction's writes whose conditions failed. */
export function failedWrites(error: unknown): number[] {
  const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? [];
  return reasons.flatMap((reason, index) => (reason.Code === 'ConditionalCheckFailed' ? [index] : []));
}

/** Whether a transaction lost to another one at the same moment and may simply run again. */
function transient(error: unknown): boolean {
  const name = (error as Error).name;
  if (name === 'TransactionConflictException' || name === 'TransactionInProgressException') return true;
  if (name !== 'TransactionCanceledException') return false;
  const codes = ((error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? []).map((r) => r.Code);
  return (
    !codes.includes('ConditionalCheckFailed') &&
    codes.some(
      (code) =>
        code === 'TransactionConflict' || code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded',
    )
  );
}

async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= 12 || !transient(error)) throw error;
      await pause(attempt);
    }
  }
}

/** Reads one item, strongly consistent unless asked otherwise; undefined when absent. */
export async function get<T extends Item>(key: Key, options: { eventual?: boolean } = {}): Promise<T | undefined> {
  const { Item } = await table().send(
    new GetCommand({ TableName: config.tableName, Key: key, ConsistentRead: !options.eventual }),
  );
  return Item as T | undefined;
}

/** Writes one item whole. */
export async function put(input: WithoutTable<PutCommandInput>): Promise<void> {
  await retryConflicts(() => table().send(new PutCommand({ TableName: config.tableName, ...input })));
}

/** Writes one item unless its key is taken; false when it was. */
export async function putNew(item: Item): Promise<boolean> {
  try {
    await put({ Item: item, ConditionExpression: 'attribute_not_exists(pk)' });
    return true;
  } catch (error) {
    if (conditionFailed(error)) return false;
    throw error;
  }
}

/** Updates one item and returns the attributes that `ReturnValues` asks for. */
export async function update<T extends Item>(input: WithoutTable<UpdateCommandInput>): Promise<T | undefined> {
  const { Attributes } = await retryConflicts(() =>
    table().send(new UpdateCommand({ TableName: config.tableName, ...input })),
  );
  return Attributes as T | undefined;
}

/** Updates one item if its condition holds; undefined when it did not. */
export async function updateIf<T extends Item>(input: WithoutTable<UpdateCommandInput>): Promise<T | undefined> {
  try {
    return (await update<T>({ ReturnValues: 'ALL_NEW', ...input })) ?? ({} as T);
  } catch (error) {
    if (conditionFailed(error)) return undefined;
    throw error;
  }
}

/** Adds to counters if the condition holds; true only when that surely happened, and once. */
export async function addOnce(input: WithoutTable<UpdateCommandInput>): Promise<boolean> {
  try {
    const outcome = await retryConflicts(() =>
      table().send(new UpdateCommand({ TableName: config.tableName, ...input })),
    );
    return !retried(outcome);
  } catch (error) {
    if (conditionFailed(error)) return false;
    throw error;
  }
}

/** Deletes one item. */
export async function remove(input: WithoutTable<DeleteCommandInput>): Promise<void> {
  await retryConflicts(() => table().send(new DeleteCommand({ TableName: config.tableName, ...input })));
}

/** Deletes one item if its condition holds; false when it did not. */
export async function removeIf(input: WithoutTable<DeleteCommandInput>): Promise<boolean> {
  try {
    await remove(input);
    return true;
  } catch (error) {
    if (conditionFailed(error)) return false;
    throw error;
  }
}

/** Writes up to 100 items together or none; runs again when another transaction was in the way. */
export async function transact(writes: TransactionWrite[]): Promise<void> {
  await retryConflicts(() => attempt(writes));
}

/** Writes together or none, once: false when a condition failed or another transaction was in the way, which has made a decision stale, too. */
export async function transactOnce(writes: TransactionWrite[]): Promise<boolean> {
  try {
    await attempt(writes);
    return true;
  } catch (error) {
    if (conditionFailed(error) || transient(error)) return false;
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

async function attempt(writes: TransactionWrite[]): Promise<void> {
  const TransactItems = writes.map(
    (write) =>
      Object.fromEntries(
        Object.entries(write).map(([kind, input]) => [kind, { TableName: config.tableName, ...input }]),
      ) as Write,
  );
  await table().send(new TransactWriteCommand({ TransactItems }));
}

/** Writes together or none; false when a condition failed. */
export async function transactIf(writes: TransactionWrite[]): Promise<boolean> {
  return (await refusals(writes)).length === 0;
}

/** Writes together or none; the places of the writes whose conditions refused it, none when all is written. */
export async function refusals(writes: TransactionWrite[]): Promise<number[]> {
  try {
    await transact(writes);
    return [];
  } catch (error) {
    if (conditionFailed(error)) return failedWrites(error);
    throw error;
  }
}

/** One page of a query: at most `Limit` items and the key to go on from. */
export async function query<T extends Item>(
  input: WithoutTable<QueryCommandInput>,
): Promise<{ items: T[]; next: Record<string, unknown> | undefined }> {
  const { Items = [], LastEvaluatedKey } = await table().send(
    new QueryCommand({ TableName: config.tableName, ...input }),
  );
  return { items: Items as T[], next: LastEvaluatedKey };
}

/** All items of a query, page by page. */
export async function* queryAll<T extends Item>(input: WithoutTable<QueryCommandInput>): AsyncGenerator<T> {
  let next: Record<string, unknown> | undefined;
  do {
    const page: { items: T[]; next: Record<string, unknown> | undefined } = await query<T>({
      ...input,
      ExclusiveStartKey: next,
    });
    yield* page.items;
    next = page.next;
  } while (next);
}

/** How many items a query finds. */
export async function count(input: WithoutTable<QueryCommandInput>): Promise<number> {
  let total = 0;
  let next: Record<string, unknown> | undefined;
  do {
    const { Count = 0, LastEvaluatedKey } = await table().send(
      new QueryCommand({ TableName: config.tableName, ...input, Select: 'COUNT', ExclusiveStartKey: next }),
    );
    total += Count;
    next = LastEvaluatedKey;
  } while (next);
  return total;
}

/** Reads many items by key, in the order of the keys; an absent one is undefined. Unprocessed keys are read again. */
export async function batchGet<T extends Item>(
  wanted: readonly Key[],
  options: { eventual?: boolean } = {},
): Promise<(T | undefined)[]> {
  const found = new Map<string, T>();
  const name = (key: Item) => `${key.pk}\n${key.sk}`;
  const unique = [...new Map(wanted.map((key) => [name(key), key])).values()];
  const chunks = Array.from({ length: Math.ceil(unique.length / 100) }, (_, i) => unique.slice(i * 100, i * 100 + 100));
  await Promise.all(
    chunks.map(async (chunk) => {
      let left: Item[] = chunk;
      for (let attempt = 0; left.length > 0; attempt++) {
        if (attempt > 0) await pause(attempt);
        const output: BatchGetCommandOutput = await table().send(
          new BatchGetCommand({
            RequestItems: { [config.tableName]: { Keys: left, ConsistentRead: !options.eventual } },
          }),
        );
        for (const item of output.Responses?.[config.tableName] ?? []) found.set(name(item), item as T);
        left = output.UnprocessedKeys?.[config.tableName]?.Keys ?? [];
      }
    }),
  );
  return wanted.map((key) => found.get(name(key)));
}

/** Writes many items whole, whatever was under their keys, each of which comes once; what was not processed is written again. */
export async function batchPut(items: readonly Item[]): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) => items.slice(i * 25, i * 25 + 25));
  await Promise.all(
    chunks.map(async (chunk) => {
      let left: NonNullable<BatchWriteCommandOutput['UnprocessedItems']>[string] = chunk.map((Item) => ({
        PutRequest: { Item },
      }));
      for (let attempt = 0; left.length > 0; attempt++) {
        if (attempt > 0) await pause(attempt);
        try {
          const output: BatchWriteCommandOutput = await table().send(
            new BatchWriteCommand({ RequestItems: { [config.tableName]: left } }),
          );
          left = output.UnprocessedItems?.[config.tableName] ?? [];
        } catch (error) {
          // None of them was processed: a partition takes its time to split under a flood of new rows.
          if (attempt >= 12 || (error as Error).name !== 'ProvisionedThroughputExceededException') throw error;
        }
      }
    }),
  );
}

/** The parts of an update that turns `before` into `after`: SET for what changed, REMOVE for what became undefined. */
export function changes(
  before: Item,
  after: Item,
): {
  UpdateExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Item | undefined;
} {
  const names: Record<string, string> = {};
  const values: Item = {};
  const set: string[] = [];
  const removed: string[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name === 'pk' || name === 'sk' || JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    names[`#${name}`] = name;
    if (after[name] === undefined) removed.push(`#${name}`);
    else {
      values[`:${name}`] = after[name];
      set.push(`#${name} = :${name}`);
    }
  }
  const clauses = [set.length > 0 && `SET ${set.join(', ')}`, removed.length > 0 && `REMOVE ${removed.join(', ')}`];
  return {
    UpdateExpression: clauses.filter(Boolean).join(' '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: Object.keys(values).length > 0 ? values : undefined,
  };
}
