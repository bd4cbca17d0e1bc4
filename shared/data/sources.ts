import type { Key } from './keys.ts';
import { resolved, type Search, type Source } from './paging.ts';
import * as table from './table.ts';

/** The items that a listing reads. */
export interface Range {
  pk: string;
  /** The index to read; the table itself when absent. */
  index?: 'gsi1' | 'gsi2';
  /** The highest sort key comes first. */
  descending?: boolean;
  /** Bounds of the sort key, inclusive. */
  low?: string;
  high?: string;
}

type Page<T extends table.Item> = Awaited<ReturnType<typeof table.query<T>>>;
type Batch = [limit: number, next: Record<string, unknown> | undefined];

const maxLimit = 1_000;

/** The items of one partition, in sort-key order; a position is a sort key. */
export function partition<T extends table.Item>(range: Range): Source<T> {
  const skName = `${range.index ?? ''}sk`;
  return async function* (direction, from, batch) {
    const up = (direction === 'forward') !== Boolean(range.descending);
    const low = (up ? from : undefined) ?? range.low ?? ' ';
    const high = (up ? undefined : from) ?? range.high ?? '￿';
    if (low > high) return;
    const input = {
      ...table.within(range.pk, { index: range.index, between: [low, high] }),
      ScanIndexForward: up,
      ConsistentRead: range.index === undefined,
    };
    // A reader who goes on after what it wanted is searching: it gets more at once.
    for (let [Limit, next]: Batch = [batch + 1, undefined]; ; Limit = Math.min(Limit * 4, maxLimit)) {
      const page: Page<T> = await table.query<T>({ ...input, Limit, ExclusiveStartKey: next });
      for (const item of page.items) {
        const position = item[skName] as string;
        if (position !== from) yield { position, item };
      }
      next = page.next;
      if (!next) return;
    }
  };
}

/** The whole items that a keys-only index names. */
export function whole<T extends table.Item>(named: Source<Key>): Source<T>;
export function whole<T extends table.Item>(named: Search<Key>): Search<T>;
export function whole<T extends table.Item>(named: Search<Key>): Search<T> {
  return resolved(named, (rows) => table.batchGet<T>(rows.map(({ pk, sk }) => ({ pk, sk }))));
}

/** Whole items behind a keys-only index, in the index's order. */
export const indexed = <T extends table.Item>(range: Range & { index: 'gsi1' | 'gsi2' }): Source<T> =>
  whole(partition<Key>(range));

/** Records that are numbered within a team. */
export interface Numbered<T> {
  /** Reads one record; undefined when it is not the team's. */
  find(teamId: number, id: number): Promise<T | undefined>;
  /** Reads many records, in the order of the ids; undefined for one that is not the team's. */
  batch(teamId: number, ids: readonly number[]): Promise<(T | undefined)[]>;
  /** The team's records, newest first. */
  list(teamId: number): Source<T>;
}

/** The reads of numbered records in one partition of their team. */
export function numbered<T extends table.Item>(
  partitionOf: (teamId: number) => string,
  keyOf: (teamId: number, id: number) => Key,
): Numbered<T> {
  return {
    find: (teamId, id) => table.get<T>(keyOf(teamId, id)),
    batch: (teamId, ids) => table.batchGet<T>(ids.map((id) => keyOf(teamId, id))),
    list: (teamId) => idSource<T>(partitionOf(teamId)),
  };
}

/** Records numbered by id, newest first. */
export function idSource<T extends table.Item>(pk: string, index?: 'gsi1' | 'gsi2'): Source<T> {
  return index ? indexed<T>({ pk, index, descending: true }) : partition<T>({ pk, descending: true });
}
