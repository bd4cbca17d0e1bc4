import type { Key } from './keys.ts';
import * as table from './table.ts';

/** So few keys cost no more than a Query. */
const fewKeys = 4;

/**
 * The items of a partition with some sort keys, which are neighbours: one Query of their range, a unit per 4 KB where a
 * key takes one. Where the range has `tooMany` items they are read by their keys after all.
 */
export async function neighbours<T extends Key>(
  pk: string,
  sks: readonly string[],
  tooMany: number,
): Promise<Map<string, T>> {
  const inOrder = sks.toSorted();
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  if (first !== undefined && last !== undefined && sks.length > fewKeys) {
    const range = table.within(pk, { between: [first, last] });
    const { items, next } = await table.query<T>({ ...range, ConsistentRead: true, Limit: tooMany });
    if (!next) return bySortKey(items);
  }
  return bySortKey(await table.batchGet<T>(sks.map((sk) => ({ pk, sk }))));
}

const bySortKey = <T extends Key>(items: readonly (T | undefined)[]): Map<string, T> =>
  new Map(items.flatMap((item) => (item ? [[item.sk, item] as const] : [])));
