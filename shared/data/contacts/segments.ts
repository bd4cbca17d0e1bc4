import type { SegmentDefinition } from '../../domain/contacts/segments.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';

/** A saved segment: a name for a definition, which is resolved whenever it is used. */
export interface SegmentItem extends Key {
  id: number;
  name: string;
  definition: SegmentDefinition;
  created_at: string;
  updated_at: string;
}

/** What a request may write of a segment; without a definition, an update keeps it and a new one has all contacts. */
interface SegmentInput {
  name: string;
  definition?: SegmentDefinition;
}

/** The reads of segments. */
export const { find, batch, list } = numbered<SegmentItem>(partitions.segments, keys.segment);

/** Stores a new segment; idempotent for the same id. */
export async function create(teamId: number, id: number, input: SegmentInput): Promise<SegmentItem> {
  const at = timestamp();
  const { name, definition = {} } = input;
  const item: SegmentItem = { ...keys.segment(teamId, id), id, name, definition, created_at: at, updated_at: at };
  return (await table.putNew(item)) ? item : ((await find(teamId, id)) ?? item);
}

/** Writes the given fields of a segment; undefined when it is not the team's. */
export function update(teamId: number, id: number, input: SegmentInput): Promise<SegmentItem | undefined> {
  return table.updateIf<SegmentItem>({
    Key: keys.segment(teamId, id),
    ...table.changes({}, { ...input, updated_at: timestamp() }, 'attribute_exists(pk)'),
  });
}

/** Deletes a segment; campaigns keep the definitions that they copied. */
export function remove(teamId: number, id: number): Promise<void> {
  return table.remove({ Key: keys.segment(teamId, id) });
}

/** The segment as the API shows it. */
export function view({ id, name, definition }: SegmentItem) {
  return { id, name, definition };
}
