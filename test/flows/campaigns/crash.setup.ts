import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { acceptedAddresses, everyRow, readyCampaign, rows } from '../../support/campaign.ts';
import { expectExactLedger } from '../../support/ledger.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { call, newTeam, type Team } from '../../support/team.ts';

const recipients = Number(process.env.CRASH_RECIPIENTS ?? 400);
export const kills = Number(process.env.CRASH_KILLS ?? 1);

let folder: string;
export let stack: Stack;
export let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-crash-'));
  stack = await startStack({ data: folder });
});

afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

export async function restart(): Promise<void> {
  stack = await stack.restart();
}

const accepted = (campaign: number) => acceptedAddresses(stack.origin, team, campaign);

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export async function read(campaign: number): Promise<any> {
  return (await team.api('GET', `/campaigns/${campaign}`)).body.data;
}

async function countsAddUp(campaign: number): Promise<void> {
  const { status, total_recipients } = await read(campaign);
  if (['screening', 'queuing'].includes(status)) return;
  expect((await everyRow(team, `/campaigns/${campaign}/recipients`)).length).toBe(total_recipients);
}

/** Kills the stack after a random number of further messages, or when none come any more. */
export async function killDuring(campaign: number, share: number): Promise<void> {
  const enough = (await accepted(campaign)).length + Math.floor(Math.random() * recipients * share);
  const patience = Date.now() + 5_000;
  while ((await accepted(campaign)).length < enough && Date.now() < patience) await setTimeout(10);
  await restart();
  await countsAddUp(campaign);
}

export async function begin(content: Record<string, unknown> = {}): Promise<{ campaign: number; emails: string[] }> {
  team = await newTeam({ origin: stack.origin, plan: 'business' });
  const contacts = rows(recipients, `crash-${team.id}.example`);
  const { campaign } = await readyCampaign(team, contacts, content);
  return { campaign, emails: contacts.map(({ email }) => email).sort() };
}

/** Compares a campaign that is over with what the provider accepted. */
export async function expectTrue(campaign: number, emails: string[]): Promise<void> {
  const listed = await expectExactLedger(stack.origin, team, campaign);
  expect(listed.map(({ email }) => email).sort()).toEqual(emails);
  const { status, sent_count } = await read(campaign);
  if (status !== 'cancelled') expect(status).toBe(sent_count === recipients ? 'sent' : 'partial');
  const { body: health } = await call(`${stack.origin}/_local/idle`);
  expect(health.idle).toBe(true);
}
