import type { ExportObject, WarehouseSource } from '../../domain/campaigns/warehouse.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import * as campaigns from './campaigns.ts';

/** The states of an import: a query runs (where there is one), rows are read into runs, the runs are merged. */
export const importStatuses = ['querying', 'reading', 'counting', 'imported', 'failed'] as const;

/** Where an import continues: an object by its number, a byte at the end of a record, and its line. */
export interface ImportCursor {
  object: number;
  offset: number;
  line: number;
  /** The columns of the CSV object that is being read. */
  header?: string[];
}

/** A skipped row, by its place; the reason never contains its values. */
export interface ImportProblem {
  object: string;
  line: number;
  reason: string;
}

/** The progress of a warehouse audience's import. */
export interface ImportItem extends Key {
  status: (typeof importStatuses)[number];
  source: WarehouseSource;
  objects: number;
  cursor: ImportCursor;
  /** The number of its first row; rows below belong to an earlier import of the same campaign. */
  first_row: number;
  /**
   * The first row of each of its runs, or the number of one that a pass has merged; undefined in an import by an
   * earlier version.
   */
  runs?: number[];
  /** The last address that the pass under way has written. */
  passed_to?: string;
  /** Whether the campaign was held for an operator's review of the audience's size. */
  reviewed?: boolean;
  /** Belongs to an earlier launch. */
  stale?: boolean;
  /** Rows read so far, good and bad; a row's number is its position among them. */
  rows: number;
  bad_rows: number;
  /** The first of the bad rows. */
  problems: ImportProblem[];
  /** Different addresses merged so far, and the last of them. */
  accepted: number;
  counted_to?: string;
  failure_reason?: string;
  started_at: string;
  finished_at?: string;
  /** Incremented by every change, for optimistic locking. */
  version: number;
}

/** What an import has read before its first row. */
const fromTheBeginning = () => ({
  cursor: firstOf(0),
  runs: [],
  rows: 0,
  bad_rows: 0,
  problems: [],
  accepted: 0,
  counted_to: undefined,
  passed_to: undefined,
});

/** Begins again to read an import of an earlier version; undefined when another worker did. */
export const restart = (teamId: number, campaignId: number, seen: ImportItem): Promise<ImportItem | undefined> =>
  move(teamId, campaignId, seen, { status: 'reading', ...fromTheBeginning() });

/** Reads a campaign's import; undefined before it began. */
export function find(teamId: number, campaignId: number): Promise<ImportItem | undefined> {
  return table.get<ImportItem>(keys.audienceImport(teamId, campaignId));
}

/** Begins an import in place of a stale one; undefined when another worker began it. */
export async function begin(
  teamId: number,
  campaignId: number,
  source: WarehouseSource,
  objects: readonly ExportObject[] | 'queried',
  before: ImportItem | undefined,
): Promise<ImportItem | undefined> {
  const queried = objects === 'queried';
  const item: ImportItem = {
    ...keys.audienceImport(teamId, campaignId),
    status: queried ? 'querying' : 'reading',
    source,
    objects: queried ? 0 : objects.length,
    first_row: before ? before.first_row + before.rows : 0,
    ...fromTheBeginning(),
    started_at: timestamp(),
    version: before ? before.version + 1 : 1,
  };
  const asSeen = before
    ? { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': before.version } }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
  const begun = await table.transactIf([
    { Put: { Item: item, ...asSeen } },
    ...(queried ? [] : [{ Put: { Item: objectsItem(teamId, campaignId, objects) } }]),
  ]);
  return begun ? item : undefined;
}

/** Sets the objects of an import whose query has ended; false when another worker changed it. */
export function queried(
  teamId: number,
  campaignId: number,
  seen: ImportItem,
  source: WarehouseSource,
  objects: readonly ExportObject[],
): Promise<boolean> {
  const changed = { status: 'reading', source, objects: objects.length } as const;
  return table.transactIf([
    { Update: moving(teamId, campaignId, seen, changed) },
    { Put: { Item: objectsItem(teamId, campaignId, objects) } },
  ]);
}

/** Holds a campaign for a review of its audience, with the outbox event; false when another worker did. */
export function hold(
  teamId: number,
  campaignId: number,
  seen: ImportItem,
  failure_reason: string,
  outbox: due.DueJob,
): Promise<boolean> {
  return table.transactIf([
    { Update: campaigns.moving(teamId, campaignId, 'hold', { failure_reason }) },
    { Update: moving(teamId, campaignId, seen, { reviewed: true }) },
    due.jobWrite(outbox),
  ]);
}

const objectsItem = (teamId: number, campaignId: number, objects: readonly ExportObject[]) => ({
  ...keys.importObjects(teamId, campaignId),
  objects: objects.map(packed),
});

/** The beginning of an object. */
export const firstOf = (object: number): ImportCursor => ({ object, offset: 0, line: 1 });

/** The objects of an import as they were listed when it began. */
export async function objects(teamId: number, campaignId: number): Promise<ExportObject[]> {
  const item = await table.get<{ objects: string[] }>(keys.importObjects(teamId, campaignId));
  return (item?.objects ?? []).map(unpacked);
}

// Packed as text: up to 1,000 objects must fit in the item.
const packed = ({ key, size, etag }: ExportObject): string => `${size} ${etag} ${key}`;

function unpacked(text: string): ExportObject {
  const [size = '', etag = ''] = text.split(' ', 2);
  return { key: text.slice(size.length + etag.length + 2), size: Number(size), etag };
}

/** Changes an import; undefined when another worker changed it since it was read. */
export function move(
  teamId: number,
  campaignId: number,
  seen: ImportItem,
  changed: Partial<ImportItem>,
): Promise<ImportItem | undefined> {
  return table.updateIf<ImportItem>(moving(teamId, campaignId, seen, changed));
}

function moving(teamId: number, campaignId: number, seen: ImportItem, changed: Partial<ImportItem>) {
  const after = { ...seen, ...changed, version: seen.version + 1 };
  const update = table.changes(seen, after, '#version = :seen', { ':seen': seen.version });
  return { Key: keys.audienceImport(teamId, campaignId), ...update };
}
