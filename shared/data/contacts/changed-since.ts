import { timestamp } from '../../domain/time.ts';
import { type Key, partitions } from '../keys.ts';
import { type Direction, merged, resolved, type Search, type Source, selected } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import { type ContactItem, changeShards } from './contact-item.ts';

/** A change is in the index after this: one second to commit (a later one gets a new time), one for the index. */
const settleMs = 2_000;

type IndexRow = Key & { gsi1sk: string };

/**
 * The team's live contacts in order of change, from `since` to now, each at its latest change only. Nothing appears
 * later at a position that the reader has passed: if changes are too recent, it waits until they are settled
 * (docs/decisions/incremental-sync.md). `wanted` returns the rows of a batch whose contacts are to be read; it is asked
 * about settled changes only.
 */
export function changedSince(
  teamId: number,
  since: string,
  wanted?: <R extends Key>(rows: R[]) => Promise<R[]>,
): Search<ContactItem> {
  const startedAt = Date.now();
  const boundary = `${timestamp(startedAt - settleMs)}~`;
  const settled = { low: since, high: boundary };
  const recent = { low: since > boundary ? since : boundary, high: `${timestamp(startedAt)}~` };
  const read = (range: typeof settled) => shards(teamId, range);

  const settling: Source<IndexRow> = async function* (direction, from, batch) {
    const left = startedAt + settleMs - Date.now();
    if (left > 0) {
      if (await isEmpty(read(recent), direction, from)) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
    yield* read(recent)(direction, from, batch);
  };

  const old = wanted ? selected(read(settled), wanted) : read(settled);
  const whole: Search<IndexRow> = async function* (direction, from, batch) {
    const within = ({ low, high }: typeof settled) => (from && from >= low && from <= high ? from : undefined);
    if (direction === 'forward') {
      yield* old(direction, from, batch);
      yield* settling(direction, within(recent), batch);
    } else {
      yield* settling(direction, from, batch);
      yield* old(direction, within(settled), batch);
    }
  };
  return resolved(whole, latest);
}

/** The rows of all shards in one order; each is read in batches of about its share. */
function shards(teamId: number, range: { low: string; high: string }): Source<IndexRow> {
  const sharded = Array.from({ length: changeShards }, (_, shard) => partitions.contactsByChange(teamId, shard));
  const sources = [...sharded, partitions.contactsByChangeUnsharded(teamId)].map((pk): Source<IndexRow> => {
    const rows = partition<IndexRow>({ pk, index: 'gsi1', ...range });
    return (direction, from, batch) => rows(direction, from, Math.ceil((2 * batch) / changeShards));
  });
  return merged(sources, true);
}

async function isEmpty(source: Source<unknown>, direction: Direction, from: string | undefined): Promise<boolean> {
  for await (const _row of source(direction, from, 1)) return false;
  return true;
}

/** The contacts behind rows of the index; undefined for one that has changed since or is deleted. */
async function latest(rows: readonly IndexRow[]): Promise<(ContactItem | undefined)[]> {
  const items = await table.batchGet<ContactItem>(rows.map(({ pk, sk }) => ({ pk, sk })));
  return items.map((item, index) => (item?.gsi1sk === rows[index]!.gsi1sk ? item : undefined));
}
