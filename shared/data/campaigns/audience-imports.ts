import type { ExportObject, WarehouseSource } from '../../domain/campaigns/warehouse.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as campaigns from './campaigns.ts';

/** The states of an import: a query runs where there is one, rows are read, then addresses counted. */
export const importStatuses = ['querying', 'reading', 'counting', 'imported', 'failed'] as const;

/** Where an import goes on: an object by its number, a byte of it at the end of a record, and the line there. */
export interface ImportCursor {
  object: number;
  offset: number;
  line: number;
  /** The columns of the CSV object that is being read. */
  header?: string[];
}

/** A row that was left out, by its place; never by what stands in it. */
export interface ImportProblem {
  object: string;
  line: number;
  reason: string;
}

/** How far a campaign's warehouse audience is imported. */
export interface ImportItem {
  pk: string;
  sk: string;
  status: (typeof importStatuses)[number];
  source: WarehouseSource;
  objects: number;
  cursor: ImportCursor;
  /** Its first row: those before are of an earlier import, whose campaign was held and edited. */
  first_row: number;
  /** Whether an operator has the last word on its size, or had it. */
  reviewed?: boolean;
  /** Belongs to a launch that is over. */
  stale?: boolean;
  /** Rows read so far, good and bad; a row's number is its place among them. */
  rows: number;
  bad_rows: number;
  /** The first of the bad rows. */
  problems: ImportProblem[];
  /** Different addresses, as far as they are counted, and the last of them. */
  accepted: number;
  counted_to?: string;
  failure_reason?: string;
  started_at: string;
  finished_at?: string;
  /** Grows with every change, each of which is made once. */
  version: number;
}

/** Reads a campaign's import; undefined before it began. */
export function find(teamId: number, campaignId: number): Promise<ImportItem | undefined> {
  return table.get<ImportItem>(keys.audienceImport(teamId, campaignId));
}

/** Begins an import, in place of a stale one, with the objects that it is to read, or that the query is to give; undefined when another worker began it. */
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
    cursor: firstOf(0),
    first_row: before ? before.first_row + before.rows : 0,
    rows: 0,
    bad_rows: 0,
    problems: [],
    accepted: 0,
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

/** Gives an import that waits for its query the objects to read; what another worker gave it stays. */
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

/** Holds a campaign for what an operator must say of its audience, once, with what tells of it. */
export function hold(
  teamId: number,
  campaignId: number,
  seen: ImportItem,
  failure_reason: string,
  outbox: due.DueJob,
): Promise<boolean> {
  return table.transactIf([
    { Update: { Key: keys.campaign(teamId, campaignId), ...campaigns.moving('hold', { failure_reason }) } },
    { Update: moving(teamId, campaignId, seen, { reviewed: true }) },
    due.jobWrite(outbox),
  ]);
}

const objectsItem = (teamId: number, campaignId: number, objects: readonly ExportObject[]) => ({
  ...keys.importObjects(teamId, campaignId),
  objects: objects.map(packed),
});

/** Where an object begins. */
export const firstOf = (object: number): ImportCursor => ({ object, offset: 0, line: 1 });

/** The objects that an import reads, as they were when it began. */
export async function objects(teamId: number, campaignId: number): Promise<ExportObject[]> {
  const item = await table.get<{ objects: string[] }>(keys.importObjects(teamId, campaignId));
  return (item?.objects ?? []).map(unpacked);
}

// One text each: many objects fit on the item.
const packed = ({ key, size, etag }: ExportObject): string => `${size} ${etag} ${key}`;

function unpacked(text: string): ExportObject {
  const [size = '', etag = ''] = text.split(' ', 2);
  return { key: text.slice(size.length + etag.length + 2), size: Number(size), etag };
}

/** Changes an import if it is as it was read; undefined when another worker has moved it. */
export function move(
  teamId: number,
  campaignId: number,
  seen: ImportItem,
  changed: Partial<ImportItem>,
): Promise<ImportItem | undefined> {
  return table.updateIf<ImportItem>(moving(teamId, campaignId, seen, changed));
}

function moving(teamId: number, campaignId: number, seen: ImportItem, changed: Partial<ImportItem>) {
  const update = table.changes(seen, { ...seen, ...changed, version: seen.version + 1 });
  return {
    Key: keys.audienceImport(teamId, campaignId),
    ...update,
    ConditionExpression: '#version = :seen',
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':seen': seen.version },
  };
}
