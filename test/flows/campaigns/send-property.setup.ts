import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { ended, idle, readyCampaign, rows } from '../../support/campaign.ts';
import { expectExactLedger } from '../../support/ledger.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { call, newTeam, type Team } from '../../support/team.ts';

const seed = Number(process.env.PROPERTY_SEED ?? 20_261_120);

let folder: string;
let stack: Stack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-property-'));
  stack = await startStack({ data: folder });
});
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

const control = (method: string, path: string, body?: unknown) => call(`${stack.origin}/_local${path}`, method, body);

const fault = (service: string, operation: string, error: string, rate: number) => ({
  service,
  operation,
  error,
  rate,
});
const faults = fc.subarray([
  fault('dynamodb', '*', 'ProvisionedThroughputExceededException', 0.05),
  fault('dynamodb', '*', 'lost_response', 0.05),
  fault('dynamodb', 'TransactWriteItems', 'TransactionCanceledException', 0.2),
  fault('ses', 'SendBulkEmail', 'TooManyRequestsException', 0.3),
  fault('ses', 'SendBulkEmail', 'lost_response', 0.2),
  fault('ses', 'SendBulkEmail', 'MessageRejected', 0.2),
  fault('ses', 'SendBulkEmail', 'InternalServiceErrorException', 0.1),
  fault('sqs', '*', 'duplicate', 0.3),
  fault('sqs', '*', 'InternalFailure', 0.1),
  fault('sns', 'Publish', 'duplicate', 0.3),
  fault('states', 'StartExecution', 'ExecutionLimitExceeded', 0.3),
]);

const interruption = fc.record({
  what: fc.constantFrom('kill', 'pause', 'cancel', 'nothing'),
  /** Milliseconds after the previous one. */
  after: fc.integer({ min: 0, max: 400 }),
});

const scenario = fc.record({
  size: fc.integer({ min: 1, max: 260 }),
  /** One recipient in this many cannot be mailed, and why. */
  suppressed: fc.option(fc.integer({ min: 2, max: 9 }), { nil: undefined }),
  unsubscribed: fc.option(fc.integer({ min: 2, max: 9 }), { nil: undefined }),
  tested: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
  faults,
  interruptions: fc.array(interruption, { maxLength: 4 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Repeats a request until it is answered. */
async function persist(team: Team, method: string, path: string, body?: unknown) {
  for (;;) {
    const answer = await team.api(method, path, body);
    if (answer.status !== 503) return answer;
  }
}

async function prepare({ size, suppressed, unsubscribed, tested }: Scenario) {
  const team = await newTeam({ origin: stack.origin, plan: 'business' });
  const people = rows(size, `p-${team.id}.example`);
  const test = tested && { ab_test_percentage: tested, ab_test_delay_minutes: 10 };
  const { campaign } = await readyCampaign(team, people, { ...test });
  const every = (step: number | undefined, offset: number) =>
    people.filter((_, index) => step !== undefined && index % step === offset).slice(0, 20);
  for (const { email } of every(suppressed, 0)) await team.api('POST', '/suppressions', { email, reason: 'manual' });
  const left = every(unsubscribed, 1).map(({ email }) => email);
  for (const email of left) await team.api('PATCH', `/contacts/${email}`, { status: 'unsubscribed' });
  const variants = ['A', 'B'].map((label) => ({ label, subject: label }));
  if (tested) await team.api('POST', `/campaigns/${campaign}/variants`, { variants });
  const audience = people.map(({ email }) => email).filter((email) => !left.includes(email));
  return { team, campaign, audience: new Set(audience) };
}

async function interrupt(team: Team, campaign: number, what: Scenario['interruptions'][number]['what']) {
  if (what === 'kill') {
    const port = Number(new URL(stack.origin).port);
    await stack.kill();
    stack = await startStack({ data: folder, port });
  }
  if (what === 'pause' || what === 'cancel') await persist(team, 'POST', `/campaigns/${campaign}/pause`);
  if (what === 'pause') await persist(team, 'POST', `/campaigns/${campaign}/resume`);
  if (what === 'cancel') await persist(team, 'POST', `/campaigns/${campaign}/cancel`);
}

/** Removes the faults and moves the clock by hours until the campaign is over and nothing can change any more. */
async function settle(team: Team, campaign: number) {
  await control('DELETE', '/faults');
  for (;;) {
    const { status } = await ended(stack.origin, team, campaign);
    if (status !== 'paused') break;
    await persist(team, 'POST', `/campaigns/${campaign}/resume`);
  }
  for (let hour = 0; hour < 6; hour++) {
    await control('POST', '/clock', { advance_seconds: 3_600 });
    await idle(stack.origin);
  }
}

/** Runs the property on so many random scenarios. */
export async function mailsNobodyTwice(numRuns: number): Promise<void> {
  const property = fc.asyncProperty(scenario, async (given) => {
    const { team, campaign, audience } = await prepare(given);
    for (const each of given.faults) await control('POST', '/faults', each);
    await persist(team, 'POST', `/campaigns/${campaign}/send`);
    for (const { what, after } of given.interruptions) {
      await new Promise((resolve) => setTimeout(resolve, after));
      await interrupt(team, campaign, what);
    }
    await settle(team, campaign);
    const listed = await expectExactLedger(stack.origin, team, campaign);
    for (const { email } of listed) expect(audience.has(email)).toBe(true);
    if (listed.length > 0) expect(listed.length).toBe(audience.size);
    const { status, failure_reason } = (await team.api('GET', `/campaigns/${campaign}`)).body.data;
    if (audience.size === 0) expect([status, failure_reason]).toEqual(['draft', null]);
    else expect(['sent', 'partial', 'failed', 'cancelled']).toContain(status);
  });
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
}
