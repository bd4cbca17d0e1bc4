import { log } from '../../aws/log.ts';
import * as imports from '../../data/campaigns/audience-imports.ts';
import * as rows from '../../data/campaigns/audience-rows.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as warehouses from '../../data/campaigns/warehouses.ts';
import type { ExportPerson } from '../../domain/campaigns/export-rows.ts';
import { afterPass, nextPass, type Pass } from '../../domain/campaigns/merge-passes.ts';
import { mergedRuns, sortedRun } from '../../domain/campaigns/merge-runs.ts';
import { ExportFault, type ExportObject, type QueryOutcome, resultOf } from '../../domain/campaigns/warehouse.ts';
import { timestamp } from '../../domain/time.ts';
import { failQueuing, writeWithEvent } from './publish-status.ts';
import { exportOf, type RowBatch, readRows } from './read-export.ts';
import { importedFinding } from './screen.ts';

const maxProblems = 20;
/** Rows of a run: what is read and sorted at once, and of what is merged, written at once. */
const rowsPerRun = 10_000;
/** Chunks of all runs together that a merge holds, and so the most runs that it reads side by side. */
const chunksHeld = 500;

/** The query that the workflow must run for an import; the token makes it idempotent. */
export interface Query {
  sql: string;
  token: string;
}

/**
 * Reads a warehouse audience into sorted runs and merges them, until it is imported or the deadline has passed. Runs
 * are written before the cursor moves: a second worker writes the same ones (docs/decisions/warehouse.md).
 */
export async function importAudience(
  teamId: number,
  campaign: CampaignItem,
  deadline: number,
): Promise<'imported' | 'going on' | Query> {
  const found = await imports.find(teamId, campaign.id);
  try {
    const begun = found && !found.stale ? found : await begin(teamId, campaign.id, found);
    const ofBefore = begun && !begun.runs && ['reading', 'counting'].includes(begun.status);
    const item = ofBefore ? await imports.restart(teamId, campaign.id, begun) : begun;
    if (item?.status === 'querying') return queryOf(teamId, campaign.id, item);
    if (item?.status === 'reading') await read(teamId, campaign.id, item, deadline);
    if (item?.status === 'counting') await merge(teamId, campaign.id, item, deadline);
    if (item?.status === 'failed') await failQueuing(teamId, campaign.id, item.failure_reason!);
    if (item?.status !== 'imported') return 'going on';
    const finding = item.reviewed ? null : await importedFinding(teamId, item.accepted, deadline);
    if (finding === null) return 'imported';
    if (finding === undefined) return 'going on';
    await writeWithEvent(teamId, campaign.id, 'held', (outbox) =>
      imports.hold(teamId, campaign.id, item, finding, outbox),
    );
    return 'going on';
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    await fail(teamId, campaign.id, error.message);
    return 'going on';
  }
}

/** The token is the same when a workflow that died while the query ran asks again. */
function queryOf(teamId: number, campaignId: number, { source, started_at }: imports.ImportItem): Query {
  return { sql: source.query!, token: `team-${teamId}-campaign-${campaignId}-${started_at}` };
}

/** Sets the result of an import's query as the export to read, or fails the campaign. */
export async function noteQuery(teamId: number, campaignId: number, outcome: QueryOutcome): Promise<void> {
  const item = await imports.find(teamId, campaignId);
  if (item?.status !== 'querying' || item.stale) return;
  try {
    const { bucket, key: prefix } = resultOf(outcome);
    const source = { ...item.source, bucket, prefix };
    await imports.queried(teamId, campaignId, item, source, await exportOf(source));
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    await fail(teamId, campaignId, error.message);
  }
}

/** Marks the import of an earlier launch as stale, so that the export is read again. */
export async function forgetImport(teamId: number, campaignId: number): Promise<void> {
  const found = await imports.find(teamId, campaignId);
  if (found && !found.stale) await imports.move(teamId, campaignId, found, { stale: true });
}

async function begin(
  teamId: number,
  campaignId: number,
  before: imports.ImportItem | undefined,
): Promise<imports.ImportItem | undefined> {
  const warehouse = await warehouses.find(teamId);
  if (!warehouse) {
    await failQueuing(teamId, campaignId, 'warehouse_not_configured');
    return undefined;
  }
  const { pk: _pk, sk: _sk, updated_at: _at, ...source } = warehouse;
  const objects = source.query === undefined ? await exportOf(source) : 'queried';
  return imports.begin(teamId, campaignId, source, objects, before);
}

async function read(teamId: number, id: number, begun: imports.ImportItem, deadline: number): Promise<void> {
  const objects = await imports.objects(teamId, id);
  let item: imports.ImportItem | undefined = begun;
  while (item && item.cursor.object < objects.length) {
    const object: ExportObject = objects[item.cursor.object]!;
    for await (const batch of readRows(item.source, object, item.cursor, rowsPerRun)) {
      item = await writeBatch(teamId, id, item!, object, batch);
      if (!item || Date.now() > deadline) return;
    }
  }
  if (!item) return;
  // An object that was added, removed or changed meanwhile makes this another export than the one that was read.
  const now = await exportOf(item.source);
  const changed = now.find(({ key, etag }, index) => objects[index]?.key !== key || objects[index].etag !== etag);
  if (changed || now.length !== objects.length)
    throw new ExportFault(`the export changed while it was read: ${(changed ?? objects.at(-1))!.key}`);
  await imports.move(teamId, id, item, { status: 'counting' });
}

/** Writes the rows of a batch as a run, then moves the cursor past it; undefined when another worker has moved it. */
async function writeBatch(
  teamId: number,
  id: number,
  item: imports.ImportItem,
  { key }: ExportObject,
  batch: RowBatch,
): Promise<imports.ImportItem | undefined> {
  const first = item.first_row + item.rows;
  const run = sortedRun(batch.rows.flatMap(({ person }) => person ?? []));
  await rows.put(teamId, id, rows.runFrom(first), run);
  const bad = batch.rows.flatMap(({ fault, line }) =>
    fault === undefined ? [] : [{ object: key, line, reason: fault }],
  );
  return imports.move(teamId, id, item, {
    cursor: batch.next,
    runs: run.length > 0 ? [...item.runs!, first] : item.runs,
    rows: item.rows + batch.rows.length,
    bad_rows: item.bad_rows + bad.length,
    problems: [...item.problems, ...bad].slice(0, maxProblems),
  });
}

/** Merges the runs into one, which counts the distinct addresses and completes the import; many in passes before. */
async function merge(teamId: number, id: number, begun: imports.ImportItem, deadline: number): Promise<void> {
  const pass = nextPass(begun.runs!, chunksHeld);
  if (pass) return mergeSome(teamId, id, begun, deadline, pass);
  let item = await mergeInto(teamId, id, begun, deadline, {
    runs: begun.runs!,
    after: begun.counted_to,
    into: rows.mergedRun(begun),
    note: (emails, { accepted }) => ({ accepted: accepted + emails.length, counted_to: emails.at(-1)! }),
  });
  if (item?.accepted === 0) throw new ExportFault('audience_empty');
  item = item && (await imports.move(teamId, id, item, { status: 'imported', finished_at: timestamp() }));
  if (!item) return;
  const { objects, rows: read, bad_rows, accepted } = item;
  log.info('audience imported', { team_id: teamId, campaign_id: id, objects, rows: read, bad_rows, accepted });
}

/** Does a pass, which puts one run in the place of several, or a part of it. */
async function mergeSome(teamId: number, id: number, begun: imports.ImportItem, deadline: number, pass: Pass) {
  const item = await mergeInto(teamId, id, begun, deadline, {
    runs: pass.runs,
    after: begun.passed_to,
    into: rows.runFrom(pass.into),
    note: (emails) => ({ passed_to: emails.at(-1)! }),
  });
  if (item) await imports.move(teamId, id, item, { runs: afterPass(item.runs!, pass), passed_to: undefined });
}

/** Runs to merge from an address on, the run to write, and what to note of each part that is written. */
interface Merge {
  runs: readonly number[];
  after?: string;
  into: string;
  note(emails: string[], seen: imports.ImportItem): Partial<imports.ImportItem>;
}

/** Merges runs until all is written; undefined at the deadline, or when another worker went on. */
async function mergeInto(
  teamId: number,
  id: number,
  begun: imports.ImportItem,
  deadline: number,
  { runs, after, into, note }: Merge,
): Promise<imports.ImportItem | undefined> {
  let item: imports.ImportItem | undefined = begun;
  let unwritten: ExportPerson[] = [];
  const write = async (seen: imports.ImportItem): Promise<imports.ImportItem | undefined> => {
    await rows.put(teamId, id, into, unwritten);
    const emails = unwritten.map(({ email }) => email);
    unwritten = [];
    return imports.move(teamId, id, seen, note(emails, seen));
  };
  const chunksAtOnce = Math.ceil(chunksHeld / Math.max(1, runs.length));
  const sources = runs.map((first) => rows.people(teamId, id, rows.runFrom(first), { after, chunksAtOnce }));
  for await (const batch of mergedRuns(sources)) {
    unwritten.push(...batch);
    if (unwritten.length < rowsPerRun) continue;
    item = await write(item);
    if (!item || Date.now() > deadline) return undefined;
  }
  return unwritten.length > 0 ? write(item) : item;
}

/** Records why the import failed, then fails the campaign; the next step completes it after a crash between the two. */
async function fail(teamId: number, id: number, failure_reason: string): Promise<void> {
  const item = await imports.find(teamId, id);
  if (item && item.status !== 'failed') {
    const noted = await imports.move(teamId, id, item, { status: 'failed', failure_reason, finished_at: timestamp() });
    if (!noted) return;
  }
  await failQueuing(teamId, id, failure_reason);
}
