import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { everyRow, finished, messagesOf } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';
import { type Warehouse, warehouseCampaign, warehouseOf } from '../../support/warehouse.ts';

export const data = mkdtempSync(join(tmpdir(), 'mailwright-warehouse-'));
export let stack: Stack;
export let warehouse: Warehouse;

beforeAll(async () => {
  stack = await startStack({ data });
  warehouse = warehouseOf(data);
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

/** A team with a warehouse source. */
export async function teamWith(fields: object = {}): Promise<Team> {
  const team = await newTeam({ origin: stack.origin });
  await warehouse.operate('warehouse set', { team_id: team.id, ...fields });
  return team;
}

/** Sends a campaign to the team's export; returns it, its import, and its messages by address. */
export async function sent(team: Team, html = '', fields: object = {}) {
  const id = await warehouseCampaign(team, html, fields);
  expect((await team.api('POST', `/campaigns/${id}/send`)).status).toBe(200);
  const campaign = await finished(team, id, stack.origin);
  const { body } = await team.api('GET', `/campaigns/${id}/audience-import`);
  return { id, campaign, imported: body.data, messages: await messagesOf(team, id, stack.origin) };
}

export const recipientsOf = async (team: Team, id: number) =>
  (await everyRow(team, `/campaigns/${id}/recipients`)).map(({ email, contact_id, status }) => [
    email,
    contact_id,
    status,
  ]);
/** The addresses of each stored chunk of an import's rows, run by run, the merged one last; the first is in its key. */
export async function rowsOf(team: Team, id: number): Promise<string[][]> {
  const chunks = await (await rawTable(data)).partition(`TEAM#${team.id}#CAMPAIGN#${id}#PACKED_ROWS`);
  return chunks.map(({ sk, rows }) => {
    const people = JSON.parse(inflateRawSync(rows as Uint8Array).toString()) as { email: string }[];
    const addresses = people.map(({ email }) => email);
    expect(sk.split(' ')[1]).toBe(addresses[0]);
    return addresses;
  });
}

export const linkIn = (html: string) => /href="([^"]+\/unsubscribe\/[^"]+)"/.exec(html)![1]!;
