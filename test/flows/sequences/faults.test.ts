import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idle, type Message } from '../../support/campaign.ts';
import { enrol, newSequence, newStep, pass, stepsSent, subscribersOf } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

const kills = Number(process.env.CRASH_KILLS ?? 1);

let folder: string;
let stack: Stack;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-sequence-faults-'));
  stack = await startStack({ data: folder });
  const own = await newTeam({ origin: stack.origin });
  team = { ...own, api: (...request) => untilServed(() => own.api(...request)) };
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
const forward = (seconds: number) => pass(stack.origin, seconds);

/** Repeats a request while it is answered 503, as a patient client does. */
async function untilServed(request: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request();
    if (answer.status !== 503 || attempt === 20) return answer;
  }
}

/** The number of messages that each address got of each step. */
const tally = (messages: readonly Message[]) =>
  Object.fromEntries(
    [...Map.groupBy(messages, ({ to, subject }) => `${subject}: ${to}`)].map(([who, all]) => [who, all.length]),
  );

const once = (emails: readonly string[], subjects: readonly string[]) =>
  Object.fromEntries(subjects.flatMap((subject) => emails.map((email) => [`${subject}: ${email}`, 1])));

let rounds = 0;

/** A sequence of two steps with 70 subscribers who wait for the first. */
async function crowd(count = 70): Promise<{ sequence: number; emails: string[] }> {
  const domain = `crowd-${++rounds}.example`;
  const emails = Array.from({ length: count }, (_, index) => `p${index}@${domain}`);
  await team.api('POST', '/contacts/bulk', { contacts: emails.map((email) => ({ email })) });
  const sequence = await newSequence(team, [newStep('One', 3, 'minutes'), newStep('Two', 3, 'minutes')]);
  expect((await enrol(team, sequence, emails)).enrolled).toBe(count);
  return { sequence, emails };
}

/** Runs a sequence to its end under faults, and a while longer without them. */
async function runUnder(faults: readonly object[]) {
  const made = await crowd();
  for (const fault of faults) await inject(fault);
  for (let time = 0; time < 4; time++) await forward(130);
  await control('DELETE', '/faults', undefined, stack.origin);
  // A blocked shard waits at most a quarter of an hour; then the second step is due.
  for (let time = 0; time < 4; time++) await forward(6 * 60);
  const inside = [...(await subscribersOf(team, made.sequence)).values()];
  // A paused sequence is not swept by later tests.
  await team.api('PATCH', `/sequences/${made.sequence}`, { status: 'paused' });
  return { ...made, inside, messages: await stepsSent(team, made.sequence, stack.origin) };
}

describe('each subscriber gets each step exactly once under', () => {
  it.each<[string, object[]]>([
    [
      'a table that throttles',
      [{ service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.2 }],
    ],
    [
      'writes in conflict',
      [
        { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException', rate: 0.3 },
        { service: 'dynamodb', operation: 'UpdateItem', error: 'TransactionConflictException', rate: 0.1 },
      ],
    ],
    ['a table whose answers get lost', [{ service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.1 }]],
    [
      'a provider that throttles',
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.3 }],
    ],
    [
      "a provider's answers that get lost",
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'lost_response', count: 3 }],
    ],
    [
      'a daily quota that is used up at first',
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'LimitExceededException', count: 2 }],
    ],
    ['shard messages delivered twice', [{ service: 'sqs', operation: '*', error: 'duplicate' }]],
    ['a queue that refuses', [{ service: 'sqs', operation: '*', error: 'InternalFailure', rate: 0.4 }]],
    [
      'all of it together',
      [
        { service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.05 },
        { service: 'dynamodb', operation: 'UpdateItem', error: 'TransactionConflictException', rate: 0.05 },
        { service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.05 },
        { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.2 },
        { service: 'ses', operation: 'SendBulkEmail', error: 'lost_response', rate: 0.2 },
        { service: 'sqs', operation: '*', error: 'duplicate', rate: 0.3 },
      ],
    ],
  ])(
    '%s',
    async (_name, faults) => {
      const { emails, inside, messages } = await runUnder(faults);
      expect(tally(messages)).toEqual(once(emails, ['One', 'Two']));
      expect(inside.filter(({ status }) => status === 'completed')).toHaveLength(emails.length);
    },
    180_000,
  );
});

it('counts a message as sent when its answer was lost, never resends it, and moves the subscriber on', async () => {
  const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException', count: 1 };
  const { emails, inside, messages } = await runUnder([fault]);
  const counts = tally(messages);
  expect(new Set(Object.values(counts))).toEqual(new Set([1]));
  const missing = 2 * emails.length - messages.length;
  expect(missing).toBeGreaterThan(0);
  expect(missing).toBeLessThanOrEqual(50);
  expect(inside.every(({ status }) => status === 'completed')).toBe(true);
}, 180_000);

it('fails only the subscriber whose message the provider refuses, and stores its error', async () => {
  const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'MessageRejected', count: 1 };
  const { emails, inside, messages } = await runUnder([fault]);
  const failed = inside.filter(({ status }) => status === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  for (const { exit_reason } of failed) expect(exit_reason).toEqual(expect.any(String));
  const refused = new Set(failed.map(({ email }) => email));
  expect(tally(messages)).toEqual(
    once(
      emails.filter((email) => !refused.has(email)),
      ['One', 'Two'],
    ),
  );
}, 180_000);

it('sends nothing twice and leaves no subscriber waiting when the stack is killed repeatedly', async () => {
  const people = 200;
  const { sequence, emails } = await crowd(people);
  const port = Number(new URL(stack.origin).port);
  const accepted = async () => (await stepsSent(team, sequence, stack.origin)).length;
  for (let kill = 0; kill < kills; kill++) {
    const before = await accepted();
    // Not awaited: the stack is killed meanwhile.
    const advance = control('POST', '/clock', { advance_seconds: 130 }, stack.origin).catch(() => undefined);
    const patience = Date.now() + 8_000;
    while ((await accepted()) < before + 40 && Date.now() < patience) await setTimeout(20);
    await stack.kill();
    await advance;
    stack = await startStack({ data: folder, port });
    await idle(stack.origin);
  }
  for (let time = 0; time < 4; time++) await forward(5 * 60);
  const messages = await stepsSent(team, sequence, stack.origin);
  expect(new Set(Object.values(tally(messages)))).toEqual(new Set([1]));
  const inside = [...(await subscribersOf(team, sequence)).values()];
  expect(inside.map(({ email }) => email)).toEqual(emails.toSorted());
  expect(inside.every(({ status }) => status === 'completed')).toBe(true);
  // At most one page of each of the four shards was between claim and answer when the stack was killed.
  expect(2 * people - messages.length).toBeLessThanOrEqual(kills * 4 * 50);
}, 240_000);
