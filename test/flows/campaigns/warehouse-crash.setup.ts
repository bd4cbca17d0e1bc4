import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect } from 'vitest';
import { acceptedAddresses, everyRow } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, patient, type Team } from '../../support/team.ts';
import { type Warehouse, warehouseCampaign, warehouseOf } from '../../support/warehouse.ts';

const data = mkdtempSync(join(tmpdir(), 'mailwright-warehouse-crash-'));
let stack: Stack;
let warehouse: Warehouse;
let team: Team;

beforeAll(async () => {
  stack = await startStack({ data });
  warehouse = warehouseOf(data);
  // Injected faults also fail the requests of the test itself.
  team = patient(await newTeam({ origin: stack.origin }));
  await warehouse.operate('warehouse set', { team_id: team.id });
});
afterAll(async () => {
  await stack?.kill();
  rmSync(data, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  stack = await stack.restart();
}

/** Unsorted rows of an export: every third address appears twice, every tenth row is bad. */
const rowOf = (index: number): string =>
  index % 10 === 9
    ? `bad row ${index}`
    : `${(index * 7919) % 100_003}-${index - (index % 3 === 2 ? 1 : 0)}@x.example,${index}`;
const lines = (from: number, to: number) =>
  ['email,number', ...Array.from({ length: to - from }, (_, index) => rowOf(from + index))].join('\n');

async function importOf(campaign: number) {
  const { body } = await team.api('GET', `/campaigns/${campaign}/audience-import`);
  return body.data;
}

/** Moves the clock past the pauses of the workflow's retries. */
async function passRetries(): Promise<void> {
  await control('POST', '/clock', { advance_seconds: 10 }, stack.origin);
  await sleep(100);
}

/** Waits for the snapshot of the audience; returns the campaign. Other tests cover the sending. */
async function snapshotOf(campaign: number) {
  for (;;) {
    await passRetries();
    const { data } = (await team.api('GET', `/campaigns/${campaign}`)).body;
    if (!['screening', 'queuing'].includes(data.status)) return data;
  }
}

/** Calls to S3 that hang until the client gives up: the deep tier waits for them. */
export const timeouts = { service: 's3', operation: 'GetObject', error: 'timeout', rate: 0.1 };

/** Imports an export while S3 and the table fail and the stack is killed several times. */
export async function importsExactly(people: number, kills: number, more: object[] = []): Promise<void> {
  await warehouse.put(team, '1.csv', lines(0, people / 2));
  await warehouse.put(team, '2.csv.gz', gzipSync(lines(people / 2, people)));
  const campaign = await warehouseCampaign(team, '<p>{{number}}</p>');
  const faults = [
    ...more,
    { service: 's3', operation: 'GetObject', error: 'SlowDown', rate: 0.2 },
    { service: 's3', operation: 'ListObjectsV2', error: 'InternalError', rate: 0.2 },
    { service: 'dynamodb', operation: 'BatchWriteItem', error: 'ProvisionedThroughputExceededException', rate: 0.05 },
    { service: 'dynamodb', operation: 'BatchWriteItem', error: 'lost_response', rate: 0.02 },
    { service: 'dynamodb', operation: 'UpdateItem', error: 'lost_response', rate: 0.1 },
  ];
  const inject = () => Promise.all(faults.map((fault) => control('POST', '/faults', fault, stack.origin)));
  await inject();
  for (;;) {
    const { status } = await team.api('POST', `/campaigns/${campaign}/send`, undefined, { 'idempotency-key': 'send' });
    if (status === 200) break;
  }
  for (let kill = 1; kill <= kills; kill++) {
    const patience = Date.now() + 20_000;
    while (((await importOf(campaign))?.rows ?? 0) < (kill * people) / (kills + 2) && Date.now() < patience)
      await passRetries();
    await restart();
    await inject();
  }
  await control('DELETE', '/faults', undefined, stack.origin);
  const snapshot = await snapshotOf(campaign);
  const good = Array.from({ length: people }, (_, index) => rowOf(index)).filter((row) => row.includes('@'));
  const expected = [...new Set(good.map((row) => row.split(',')[0]!))].sort();
  expect(await importOf(campaign)).toMatchObject({
    status: 'imported',
    rows: people,
    accepted: expected.length,
    bad_rows: people / 10,
    duplicates: good.length - expected.length,
  });
  expect(snapshot.total_recipients).toBe(expected.length);
  const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
  expect(listed.map(({ email }) => email).sort()).toEqual(expected);
  const accepted = await acceptedAddresses(stack.origin, team, campaign);
  expect(new Set(accepted).size).toBe(accepted.length);
}
