import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { idle, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

export let folder: string;
export let stack: Stack;
export let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-schedule-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));

export const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);
export const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
export const now = async () => Date.parse((await control('GET', '/clock', undefined, stack.origin)).body.now);
export const hence = async (seconds: number) => new Date((await now()) + seconds * 1000).toISOString();

export const data = (method: string, path: string, body?: unknown, own = team) => own.data(method, path, body);
export const read = (campaign: number, own = team) => data('GET', `/campaigns/${campaign}`, undefined, own);
export const schedule = (campaign: number, send_at: unknown, own = team) =>
  own.api('POST', `/campaigns/${campaign}/schedule`, { send_at });
export async function afterSeconds(seconds: number, campaign: number, own = team) {
  await advance(seconds);
  await idle(stack.origin);
  return read(campaign, own);
}

export const messages = async (campaign: number) => (await messagesOf(team, campaign, stack.origin)).size;
export async function ready(count = 3, own = team): Promise<number> {
  return (await readyCampaign(own, rows(count, `n${count}.example`))).campaign;
}

/** What is left of the month's allowance, as preflight shows it. */
export const left = async (own: Team, campaign: number): Promise<number> =>
  (await data('POST', `/campaigns/${campaign}/preflight`, undefined, own)).allowance_remaining;
