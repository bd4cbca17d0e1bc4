import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { everyRow, finished, messagesOf } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
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
export const linkIn = (html: string) => /href="([^"]+\/unsubscribe\/[^"]+)"/.exec(html)![1]!;
