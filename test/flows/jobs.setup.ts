import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { dueJob } from '../../shared/data/due-jobs.ts';
import { readyCampaign, rows } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type RawTable, rawTable } from '../support/table.ts';
import { control, newTeam, type Team } from '../support/team.ts';

export let folder: string;
export let stack: Stack;
export let table: RawTable;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-jobs-'));
  stack = await startStack({ data: folder });
  table = await rawTable(folder);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => faultless());

export async function restart(): Promise<void> {
  stack = await stack.restart();
  table = await rawTable(folder);
}

export const team = () => newTeam({ origin: stack.origin });
export const inject = (fault: object) => control('POST', '/faults', { rate: 1, ...fault }, stack.origin);
export const faultless = () => control('DELETE', '/faults', undefined, stack.origin);
export const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);
export const now = async () => Date.parse((await control('GET', '/clock', undefined, stack.origin)).body.now);

/** The time on the stack's clock in so many seconds, as the table has it. */
export const stamp = async (seconds: number) =>
  new Date((await now()) + seconds * 1000).toISOString().replace('Z', '+00:00');

/** The stored jobs of a team, of one kind. */
export const jobsOf = async ({ id }: Team, kind: string) =>
  (await table.naming(`#${kind.toUpperCase()}#${id}`)).filter(({ pk }) => pk.startsWith('DUE#'));

/** A list with members, which is deleted but for its rows, and the job that removes them. */
export async function deletedList(owner: Team, members: number): Promise<{ list: number; members: string }> {
  const list = (await owner.data('POST', '/lists', { name: 'Gone' })).id;
  for (let start = 0; start < members; start += 1_000) {
    const contacts = rows(Math.min(1_000, members - start), `m${start}.example.com`);
    await owner.data('POST', '/contacts/bulk', { contacts, list_ids: [list] });
  }
  await owner.data('DELETE', `/lists/${list}`);
  return { list, members: `TEAM#${owner.id}#LIST#${list}` };
}

/** A campaign that is sent once the clock has moved on by so many seconds. */
export async function planned(owner: Team, seconds: number): Promise<number> {
  const { campaign } = await readyCampaign(owner, rows(3, `planned${owner.id}.example.com`));
  const send_at = new Date((await now()) + seconds * 1000).toISOString();
  await owner.data('POST', `/campaigns/${campaign}/schedule`, { send_at });
  return campaign;
}

/** A job as the version before stored it: it recounts the feedback of a campaign, which costs five calls. */
export const recount = (teamId: number, campaign_id: number) =>
  dueJob({ kind: 'recount', team_id: teamId, campaign_id, batch: 'b' }, new Date(0));
export const counters = async (teamId: number, campaign: number) =>
  (await table.partition(`TEAM#${teamId}#CAMPAIGN#${campaign}`)).find(({ sk }) => sk === 'FEEDBACK');
