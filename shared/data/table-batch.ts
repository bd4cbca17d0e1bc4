import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { config } from '../aws/config.ts';
import type { Key } from './keys.ts';
import { client, type Item, pause } from './table-client.ts';

const nameOf = (key: Item): string => `${key.pk}\n${key.sk}`;

/** Sends items in chunks; `send` returns those that were not processed, which are sent again after a pause. */
async function sendAll<T>(items: readonly T[], size: number, send: (chunk: T[], attempt: number) => Promise<T[]>) {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, i) => i * size);
  await Promise.all(
    starts.map(async (start) => {
      let left = items.slice(start, start + size);
      for (let attempt = 0; left.length > 0; attempt++) {
        if (attempt > 0) await pause(attempt);
        left = await send(left, attempt);
      }
    }),
  );
}

/** Reads many items by key, in the order of the keys; an absent one is undefined. */
export async function batchGet<T extends Item>(
  wanted: readonly Key[],
  options: { eventual?: boolean } = {},
): Promise<(T | undefined)[]> {
  const found = new Map<string, T>();
  const unique: Item[] = [...new Map(wanted.map((key) => [nameOf(key), key])).values()];
  await sendAll(unique, 100, async (Keys) => {
    const { Responses, UnprocessedKeys } = await client().send(
      new BatchGetCommand({ RequestItems: { [config.tableName]: { Keys, ConsistentRead: !options.eventual } } }),
    );
    for (const item of Responses?.[config.tableName] ?? []) found.set(nameOf(item), item as T);
    return UnprocessedKeys?.[config.tableName]?.Keys ?? [];
  });
  return wanted.map((key) => found.get(nameOf(key)));
}

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** Writes many items whole over whatever had their keys, which must be unique. */
export async function batchPut(items: readonly Item[]): Promise<void> {
  const puts = items.map((Item): WriteRequest => ({ PutRequest: { Item } }));
  await sendAll(puts, 25, async (left, attempt) => {
    try {
      const { UnprocessedItems } = await client().send(
        new BatchWriteCommand({ RequestItems: { [config.tableName]: left } }),
      );
      return UnprocessedItems?.[config.tableName] ?? [];
    } catch (error) {
      // None of them was processed: a partition needs time to split under a flood of new rows.
      if (attempt >= 12 || (error as Error).name !== 'ProvisionedThroughputExceededException') throw error;
      return left;
    }
  });
}
