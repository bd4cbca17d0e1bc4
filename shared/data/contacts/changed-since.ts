import { timestamp } from '../../domain/time.ts';
import { type Key, partitions } from '../keys.ts';
import { type Direction, resolved, type Source } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import type { ContactItem } from './contact-item.ts';

/** A change of a contact is in the order of change this long after its `updated_at`: a second for its commit, after which its writer stamps it anew, and one for the index. */
const settleMs = 2_000;

type IndexRow = Key & { gsi1sk: string };

/**
 * The team's live contacts in order of change, from a moment on and up to now, each at its latest change only. What a reader is shown is
 * complete: nothing appears later at or before a place that it has passed. Where there are changes too young to know that, it waits until
 * those from before this call are settled (docs/decisions/incremental-sync.md).
 */
export function changedSince(teamId: number, since: string): Source<ContactItem> {
  const begun = Date.now();
  const pk = partitions.contactsByChange(teamId);
  const boundary = `${timestamp(begun - settleMs)}~`;
  const settled = { low: since, high: boundary };
  const young = { low: since > boundary ? since : boundary, high: `${timestamp(begun)}~` };
  const read = (range: typeof settled) => partition<IndexRow>({ pk, index: 'gsi1', ...range });

  const settling: Source<IndexRow> = async function* (direction, from, batch) {
    const left = begun + settleMs - Date.now();
    if (left > 0) {
      if (await isEmpty(read(young), direction, from)) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
    yield* read(young)(direction, from, batch);
  };

  const whole: Source<IndexRow> = async function* (direction, from, batch) {
    const within = ({ low, high }: typeof settled) => (from && from >= low && from <= high ? from : undefined);
    if (direction === 'forward') {
      yield* read(settled)(direction, from, batch);
      yield* settling(direction, within(young), batch);
    } else {
      yield* settling(direction, from, batch);
      yield* read(settled)(direction, within(settled), batch);
    }
  };
  return resolved(whole, latest);
}

async function isEmpty(source: Source<unknown>, direction: Direction, from: string | undefined): Promise<boolean> {
  for await (const _row of source(direction, from, 1)) return false;
  return true;
}

/** The contacts behind places in the order; one that has moved on, or that nobody sees any more, is not at its old place. */
async function latest(rows: readonly IndexRow[]): Promise<(ContactItem | undefined)[]> {
  const items = await table.batchGet<ContactItem>(rows.map(({ pk, sk }) => ({ pk, sk })));
  return items.map((item, index) => (item?.gsi1sk === rows[index]!.gsi1sk ? item : undefined));
}
