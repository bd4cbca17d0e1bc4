import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { ended, everyRow, idle, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

const people = rows(70);
export const total = people.length;
export const addresses = people.map(({ email }) => email).sort();

export let stack: Stack;
export let team: Team;
/** The team as a client that retries 503. */
export let patient: Team;

beforeAll(async () => {
  stack = await startStack();
  team = await newTeam({ origin: stack.origin });
  patient = { ...team, api: (...request) => untilServed(() => team.api(...request)) };
});
afterAll(() => stack?.stop());
afterEach(() => clear());

async function untilServed(request: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request();
    if (answer.status !== 503 || attempt === 20) return answer;
    expect(answer.body.code).toBe('unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
  }
}

export const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);
export const clear = () => control('DELETE', '/faults', undefined, stack.origin);
export const inject = async (fault: object) =>
  expect((await control('POST', '/faults', fault, stack.origin)).body.data).toContainEqual(fault);

export async function ready(): Promise<number> {
  return (await readyCampaign(team, people)).campaign;
}

/** Sends a campaign under faults and waits for its end. */
export async function sendUnder(campaign: number, faults: object[]) {
  for (const fault of faults) await inject(fault);
  const key = { 'idempotency-key': `send-${campaign}` };
  const answer = await patient.api('POST', `/campaigns/${campaign}/send`, undefined, key);
  expect([answer.status, answer.body.code]).toEqual([200, undefined]);
  return ended(stack.origin, patient, campaign);
}

/** Compares ledger, counters, report and events of an ended campaign with what the provider accepted. */
export async function expectTrue(
  campaign: number,
  others: Record<string, number> = {},
  afterSeconds = 20 * 60,
): Promise<void> {
  await clear();
  // Counts in doubt after a failure are recounted within a quarter of an hour.
  await advance(afterSeconds);
  await idle(stack.origin);
  const messages = await messagesOf(team, campaign, stack.origin);
  const [listed, events, { body: shown }, { body: report }] = await Promise.all([
    everyRow(team, `/campaigns/${campaign}/recipients`),
    everyRow(team, `/events?campaign_id=${campaign}`),
    team.api('GET', `/campaigns/${campaign}`),
    team.api('GET', `/campaigns/${campaign}/report`),
  ]);
  expect(listed.map(({ email }) => email)).toEqual(addresses);
  const counted = (all: Record<string, string>[], name: string) =>
    Object.fromEntries([...Map.groupBy(all, (row) => row[name]!)].map(([value, group]) => [value, group.length]));
  const sent = messages.size;
  const accepted = sent > 0 ? { sent } : {};
  expect(counted(listed, 'status')).toEqual({ ...accepted, ...others });
  expect(listed.filter(({ status }) => status === 'sent').map(({ email }) => email)).toEqual(
    [...messages.keys()].sort(),
  );
  expect(sent + Object.values(others).reduce((sum, count) => sum + count, 0)).toBe(people.length);
  expect(shown.data).toMatchObject({ total_recipients: total, sent_count: sent, failed_count: others.failed ?? 0 });
  expect(report.data.metrics).toMatchObject({ recipients: total, sent, delivered: sent, bounced: 0 });
  expect(counted(events, 'event')).toEqual({ queued: total, ...(sent > 0 && { sent, delivered: sent }) });
}
