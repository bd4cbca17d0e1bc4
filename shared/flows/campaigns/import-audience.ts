import { log } from '../../aws/log.ts';
import * as imports from '../../data/campaigns/audience-imports.ts';
import * as rows from '../../data/campaigns/audience-rows.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as warehouses from '../../data/campaigns/warehouses.ts';
import { ExportFault, type ExportObject, type QueryOutcome, resultOf } from '../../domain/campaigns/warehouse.ts';
import { timestamp } from '../../domain/time.ts';
import { failQueuing, writeWithEvent } from './publish-status.ts';
import { exportOf, type RowBatch, readRows } from './read-export.ts';
import { importedFinding } from './screen.ts';

const problemsKept = 20;

/** What an import needs before it can go on: a query, which the workflow runs; one token runs it once. */
export interface Query {
  sql: string;
  token: string;
}

/**
 * Reads a warehouse audience into rows by address until it is whole or the time is up; says how it stands. A row is written under its
 * number before the cursor moves past it, under the cursor's old value: a second reader, or one that died, writes the same rows again.
 * What its owner must mend fails the campaign before anybody is frozen (docs/decisions/warehouse.md).
 */
export async function importAudience(
  teamId: number,
  campaign: CampaignItem,
  deadline: number,
): Promise<'imported' | 'going on' | Query> {
  const found = await imports.find(teamId, campaign.id);
  try {
    const item = found && !found.stale ? found : await begin(teamId, campaign.id, found);
    if (item?.status === 'querying') return queryOf(teamId, campaign.id, item);
    if (item?.status === 'reading') await read(teamId, campaign.id, item, deadline);
    if (item?.status === 'counting') await count(teamId, campaign.id, item, deadline);
    if (item?.status === 'failed') await failQueuing(teamId, campaign.id, item.failure_reason!);
    if (item?.status !== 'imported') return 'going on';
    const finding = item.reviewed ? undefined : await importedFinding(teamId, item.accepted);
    if (!finding) return 'imported';
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

/** The token is the import's own: a workflow that died while the query ran finds the same one. */
function queryOf(teamId: number, campaignId: number, { source, started_at }: imports.ImportItem): Query {
  return { sql: source.query!, token: `team-${teamId}-campaign-${campaignId}-${started_at}` };
}

/** Takes what came of an import's query: its result is the export that is read, or the campaign fails. */
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

/** Lets a campaign that is launched anew, after it was held and edited, read its export anew. */
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
    for await (const batch of readRows(item.source, object, item.cursor)) {
      item = await take(teamId, id, item!, object, batch);
      if (!item || Date.now() > deadline) return;
    }
  }
  if (!item) return;
  // What came, went or changed meanwhile belongs to another export than what was read.
  const now = await exportOf(item.source);
  const changed = now.find(({ key, etag }, index) => objects[index]?.key !== key || objects[index].etag !== etag);
  if (changed || now.length !== objects.length)
    throw new ExportFault(`the export changed while it was read: ${(changed ?? objects.at(-1))!.key}`);
  await imports.move(teamId, id, item, { status: 'counting' });
}

/** Writes the rows of a batch, then moves the import past it; undefined when another reader has moved it. */
async function take(
  teamId: number,
  id: number,
  item: imports.ImportItem,
  { key }: ExportObject,
  batch: RowBatch,
): Promise<imports.ImportItem | undefined> {
  const numbered = batch.rows.map((row, index) => ({ ...row, row: item.first_row + item.rows + index }));
  await rows.put(
    teamId,
    id,
    numbered.flatMap(({ person, row }) => (person ? [{ person, row }] : [])),
  );
  const bad = numbered.flatMap(({ fault, line }) =>
    fault === undefined ? [] : [{ object: key, line, reason: fault }],
  );
  return imports.move(teamId, id, item, {
    cursor: batch.next,
    rows: item.rows + batch.rows.length,
    bad_rows: item.bad_rows + bad.length,
    problems: [...item.problems, ...bad].slice(0, problemsKept),
  });
}

/** Counts the different addresses, which ends the import. */
async function count(teamId: number, id: number, begun: imports.ImportItem, deadline: number): Promise<void> {
  let item: imports.ImportItem | undefined = begun;
  let { accepted, counted_to } = begun;
  for await (const batch of rows.addresses(teamId, id, { first_row: begun.first_row, after: counted_to })) {
    accepted += batch.length;
    counted_to = batch.at(-1);
    if (Date.now() <= deadline) continue;
    await imports.move(teamId, id, item, { accepted, counted_to });
    return;
  }
  if (accepted === 0) throw new ExportFault('audience_empty');
  item = await imports.move(teamId, id, item, { status: 'imported', accepted, finished_at: timestamp() });
  if (!item) return;
  const { objects, rows: read, bad_rows } = item;
  log.info('audience imported', { team_id: teamId, campaign_id: id, objects, rows: read, bad_rows, accepted });
}

/** Notes why the import failed, then fails the campaign; cut off between the two, the next step ends it. */
async function fail(teamId: number, id: number, failure_reason: string): Promise<void> {
  const item = await imports.find(teamId, id);
  if (item && item.status !== 'failed') {
    const noted = await imports.move(teamId, id, item, { status: 'failed', failure_reason, finished_at: timestamp() });
    if (!noted) return;
  }
  await failQueuing(teamId, id, failure_reason);
}
