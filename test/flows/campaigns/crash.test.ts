import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptedAddresses, ended, everyRow, idle, readyCampaign, rows } from '../../support/campaign.ts';
import { trueLedger } from '../../support/ledger.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { call, newTeam, type Team } from '../../support/team.ts';

const recipients = Number(process.env.CRASH_RECIPIENTS ?? 400);
const kills = Number(process.env.CRASH_KILLS ?? 1);

let folder: string;
let stack: Stack;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-crash-'));
  stack = await startStack({ data: folder });
});

afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Restarts the killed stack on the same data and port; the port is in the team's base URL. */
async function restart(): Promise<void> {
  const port = Number(new URL(stack.origin).port);
  await stack.kill();
  stack = await startStack({ data: folder, port });
}

const advance = (advance_seconds: number) => call(`${stack.origin}/_local/clock`, 'POST', { advance_seconds });
const accepted = (campaign: number) => acceptedAddresses(stack.origin, team, campaign);

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
async function read(campaign: number): Promise<any> {
  return (await team.api('GET', `/campaigns/${campaign}`)).body.data;
}

async function countsAddUp(campaign: number): Promise<void> {
  const { status, total_recipients } = await read(campaign);
  if (['screening', 'queuing'].includes(status)) return;
  expect((await everyRow(team, `/campaigns/${campaign}/recipients`)).length).toBe(total_recipients);
}

/** Kills the stack after a random number of further messages, or when none come any more. */
async function killDuring(campaign: number, share: number): Promise<void> {
  const enough = (await accepted(campaign)).length + Math.floor(Math.random() * recipients * share);
  const patience = Date.now() + 5_000;
  while ((await accepted(campaign)).length < enough && Date.now() < patience) await setTimeout(10);
  await restart();
  await countsAddUp(campaign);
}

async function begin(content: Record<string, unknown> = {}): Promise<{ campaign: number; emails: string[] }> {
  team = await newTeam({ origin: stack.origin, plan: 'business' });
  const contacts = rows(recipients, `crash-${team.id}.example`);
  const { campaign } = await readyCampaign(team, contacts, content);
  return { campaign, emails: contacts.map(({ email }) => email).sort() };
}

/** Compares a campaign that is over with what the provider accepted. */
async function expectTrue(campaign: number, emails: string[]): Promise<void> {
  const listed = await trueLedger(stack.origin, team, campaign);
  expect(listed.map(({ email }) => email).sort()).toEqual(emails);
  const { status, sent_count } = await read(campaign);
  if (status !== 'cancelled') expect(status).toBe(sent_count === recipients ? 'sent' : 'partial');
  const { body: health } = await call(`${stack.origin}/_local/idle`);
  expect(health.idle).toBe(true);
}

it('loses no recipient and mails none twice when the stack is killed repeatedly during a send', async () => {
  const { campaign, emails } = await begin();
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  for (let kill = 0; kill < kills; kill++) await killDuring(campaign, 1 / kills);
  await ended(stack.origin, team, campaign);
  await expectTrue(campaign, emails);
}, 240_000);

it('loses and repeats nothing in both phases of an A/B test, whose results match the messages', async () => {
  const { campaign, emails } = await begin({ ab_test_percentage: 50, ab_test_delay_minutes: 30 });
  const variants = ['A', 'B', 'C'].map((label) => ({ label, subject: label }));
  expect((await team.api('POST', `/campaigns/${campaign}/variants`, { variants })).status).toBe(200);
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  for (let kill = 0; kill < kills / 2; kill++) await killDuring(campaign, 1 / kills);
  for (let round = 0; (await read(campaign)).ab_test.winner_variant_id === null; round++) {
    expect(round).toBeLessThan(100);
    await idle(stack.origin);
    await advance(300);
  }
  for (let kill = 0; kill < kills / 2; kill++) await killDuring(campaign, 1 / kills);
  await ended(stack.origin, team, campaign);
  await expectTrue(campaign, emails);
  const { body } = await call(`${stack.origin}/_local/messages?campaign_id=${campaign}`);
  const own = (body.data as { tags: Record<string, string>; subject: string }[]).filter(
    ({ tags }) => tags.team === String(team.id),
  );
  for (const { tags, subject } of own) expect(subject).toBe(' ABC'[Number(tags.variant)]);
  const { body: report } = await team.api('GET', `/campaigns/${campaign}/report/variants`);
  const sent = (id: number) => own.filter(({ tags }) => tags.variant === String(id)).length;
  expect(report.data.map((variant: { sent: number }) => variant.sent)).toEqual([1, 2, 3].map(sent));
}, 360_000);

it('loses and repeats nothing while the campaign is paused and resumed', async () => {
  const { campaign, emails } = await begin();
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  for (let kill = 0; kill < kills; kill++) {
    await killDuring(campaign, 1 / kills);
    for (let round = 0; round < 3; round++) {
      await team.api('POST', `/campaigns/${campaign}/pause`);
      await team.api('POST', `/campaigns/${campaign}/resume`);
    }
  }
  await ended(stack.origin, team, campaign);
  await expectTrue(campaign, emails);
}, 240_000);

it('repeats nothing when the campaign is cancelled halfway', async () => {
  const { campaign, emails } = await begin();
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  while (!['sending', 'sent', 'partial'].includes((await read(campaign)).status));
  await killDuring(campaign, 0.3);
  await team.api('POST', `/campaigns/${campaign}/pause`);
  const cancelled = await team.api('POST', `/campaigns/${campaign}/cancel`);
  await restart();
  await idle(stack.origin);
  for (let round = 0; round < 4; round++) {
    await advance(300);
    await idle(stack.origin);
  }
  const { status } = await ended(stack.origin, team, campaign);
  if (cancelled.status === 200) expect(status).toBe('cancelled');
  await expectTrue(campaign, emails);
}, 240_000);
