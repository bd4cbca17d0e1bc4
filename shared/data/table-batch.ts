import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { config } from '../aws/config.ts';
import type { Key } from './keys.ts';
import { client, type Item, pause } from './table-client.ts';

const nameOf = (key: Item): string => `${key.pk}\n${key.sk}`;

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** Reads many items by key, in the order of the keys; an absent one is undefined. Unprocessed keys are read again. */
export async function batchGet<T extends Item>(
  wanted: readonly Key[],
  options: { eventual?: boolean } = {},
): Promise<(T | undefined)[]> {
  const found = new Map<string, T>();
  const unique = [...new Map(wanted.map((key) => [nameOf(key), key])).values()];
  await Promise.all(
    chunksOf(unique, 100).map(async (chunk) => {
      let left: Item[] = chunk;
      for (let attempt = 0; left.length > 0; attempt++) {
        if (attempt > 0) await pause(attempt);
        const output: BatchGetCommandOutput = await client().send(
          new BatchGetCommand({
            RequestItems: { [config.tableName]: { Keys: left, ConsistentRead: !options.eventual } },
          }),
        );
        for (const item of output.Responses?.[config.tableName] ?? []) found.set(nameOf(item), item as T);
        left = output.UnprocessedKeys?.[config.tableName]?.Keys ?? [];
      }
    }),
  );
  return wanted.map((key) => found.get(nameOf(key)));
}

/** Writes many items whole over whatever had their keys, which must be unique. Unprocessed items are written again. */
export async function batchPut(items: readonly Item[]): Promise<void> {
  await Promise.all(
    chunksOf(items, 25).map(async (chunk) => {
      let left: NonNullable<BatchWriteCommandOutput['UnprocessedItems']>[string] = chunk.map((Item) => ({
        PutRequest: { Item },
      }));
      for (let attempt = 0; left.length > 0; attempt++) {
        if (attempt > 0) await pause(attempt);
        try {
          const output: BatchWriteCommandOutput = await client().send(
            new BatchWriteCommand({ RequestItems: { [config.tableName]: left } }),
          );
          left = output.UnprocessedItems?.[config.tableName] ?? [];
        } catch (error) {
          // None of them was processed: a partition needs time to split under a flood of new rows.
          if (attempt >= 12 || (error as Error).name !== 'ProvisionedThroughputExceededException') throw error;
        }
      }
    }),
  );
}
