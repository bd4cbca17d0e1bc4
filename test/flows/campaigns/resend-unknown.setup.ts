import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { acceptedAddresses, ended, everyRow, idle, readyCampaign, rows } from '../../support/campaign.ts';
import { expectExactLedger } from '../../support/ledger.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

export let folder: string;
export let stack: Stack;
const context = { webhookAllowLoopback: 'true' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-resend-'));
  stack = await startStack({ data: folder, context });
});
afterEach(() => heal());
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

export async function restart(): Promise<void> {
  stack = await stack.restart();
}

export const heal = () => control('DELETE', '/faults', undefined, stack.origin);
export const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
/** An answer that does not say whether SES accepted the messages; it did not. */
export const lost = { service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException' };

export async function advance(advance_seconds: number, team?: Team): Promise<void> {
  await idle(stack.origin, team);
  await control('POST', '/clock', { advance_seconds }, stack.origin);
  await idle(stack.origin, team);
}

/** Moves the clock beyond the time in which SES reports. */
export const settle = (team: Team) => advance(5.5 * 3_600, team);

interface Sent {
  team: Team;
  campaign: number;
  emails: string[];
}

/** Sends a campaign under a fault, and waits for its end: recipients are unknown. */
export async function sentUnder(
  fault: object,
  { people = 120, content = {}, variants }: { people?: number; content?: object; variants?: object[] } = {},
): Promise<Sent> {
  const team = await newTeam({ origin: stack.origin, plan: 'business' });
  const contacts = rows(people, `resend-${team.id}.example`);
  const { campaign } = await readyCampaign(team, contacts, { ...content });
  if (variants) await team.data('POST', `/campaigns/${campaign}/variants`, { variants });
  await inject(fault);
  await team.data('POST', `/campaigns/${campaign}/send`);
  await ended(stack.origin, team, campaign);
  await heal();
  return { team, campaign, emails: contacts.map(({ email }) => email).sort() };
}

export const resend = (team: Team, campaign: number, key?: string): Promise<Answer> =>
  team.api('POST', `/campaigns/${campaign}/resend-unknown`, undefined, key ? { 'idempotency-key': key } : {});

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export const listed = (team: Team, campaign: number): Promise<any[]> =>
  everyRow(team, `/campaigns/${campaign}/recipients`);

export const withStatus = async (team: Team, campaign: number, status: string): Promise<string[]> =>
  (await listed(team, campaign)).filter((row) => row.status === status).map(({ email }) => email);

export const accepted = (team: Team, campaign: number) => acceptedAddresses(stack.origin, team, campaign);

/** Waits for the end of a resend, and compares the campaign with what the provider accepted. */
export async function expectExact({ team, campaign, emails }: Sent, status = 'sent'): Promise<void> {
  expect((await ended(stack.origin, team, campaign)).status).toBe(status);
  await advance(20 * 60, team);
  const recipients = await expectExactLedger(stack.origin, team, campaign);
  expect(recipients.map(({ email }) => email).sort()).toEqual(emails);
  const events = await everyRow(team, `/events?campaign_id=${campaign}`);
  const having = (event: string) => events.filter((one) => one.event === event).map(({ email }) => email);
  const sent = await accepted(team, campaign);
  expect(having('queued').sort()).toEqual(emails);
  expect(having('sent').sort()).toEqual(sent);
  expect(having('delivered').sort()).toEqual(sent);
}
