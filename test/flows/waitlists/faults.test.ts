import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { everyRow, idle, type Message } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

let folder: string;
let stack: Stack;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-waitlist-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
const newWaitlist = async (): Promise<number> =>
  (await team.api('POST', '/waitlists', { name: 'Faults' })).body.data.id;
const every = (waitlist: number) => everyRow(team, `/waitlists/${waitlist}/signups`);

/** Repeats a request that is answered 503 or not at all, as a patient client does. */
async function untilServed(request: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request().catch(() => undefined);
    if (answer && answer.status !== 503 && answer.status !== 409) return answer;
    expect(attempt).toBeLessThan(40);
  }
}

const signUp = (waitlist: number, email: string, referral_code?: string) =>
  untilServed(() => team.api('POST', `/waitlists/${waitlist}/signups`, { email, referral_code }));

/** The messages that went to the signups of a waitlist, by address. */
async function messages(waitlist: number): Promise<string[]> {
  // The reconciler queues a minute later what could not be queued.
  await control('POST', '/clock', { advance_seconds: 130 }, stack.origin);
  await idle(stack.origin);
  const { body } = await control('GET', '/messages', undefined, stack.origin);
  return (body.data as Message[]).map(({ to }) => to).filter((to) => to.includes(`-${waitlist}@`));
}

it.each([
  ['lost_response', 0.25],
  ['TransactionCanceledException', 0.3],
  ['ProvisionedThroughputExceededException', 0.25],
])(
  'loses nobody, doubles nobody and keeps every count when transactions answer %s',
  async (error, rate) => {
    const waitlist = await newWaitlist();
    const first = (await signUp(waitlist, `first-${waitlist}@example.com`)).body.data;
    await inject({ service: 'dynamodb', operation: 'TransactWriteItems', error, rate });
    const emails = Array.from({ length: 24 }, (_, index) => `p${index}-${waitlist}@example.com`);
    const clients = [0, 1, 2, 3].map(async (client) => {
      for (const email of emails.slice(client * 6, client * 6 + 6)) {
        const answer = await signUp(waitlist, email, client === 0 ? first.referral_code : undefined);
        expect([answer.status, answer.body.data.email]).toEqual([200, email]);
      }
    });
    await Promise.all(clients);
    const key = { 'idempotency-key': `invite-${waitlist}` };
    const invited = await untilServed(() => team.api('POST', `/waitlists/${waitlist}/invite`, { count: 10 }, key));
    expect([invited.status, invited.body.data?.invited]).toEqual([200, 10]);
    await control('DELETE', '/faults', undefined, stack.origin);

    const all = await every(waitlist);
    expect(all.map(({ email }) => email).sort()).toEqual([first.email, ...emails].sort());
    const waiting = all.filter(({ status }) => status === 'pending').map(({ position }) => position);
    expect(waiting.sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(all.find(({ id }) => id === first.id).referrals_count).toBe(6);
    expect((await team.api('GET', `/waitlists/${waitlist}`)).body.data.signups_count).toBe(25);
    const told = all.filter(({ status }) => status === 'invited').map(({ email }) => email);
    expect((await messages(waitlist)).sort()).toEqual(told.sort());
  },
  120_000,
);

it('continues an invitation after a kill, and neither invites nor mails more than was asked', async () => {
  const waitlist = await newWaitlist();
  const emails = Array.from({ length: 150 }, (_, index) => `k${index}-${waitlist}@example.com`);
  for (let start = 0; start < emails.length; start += 3)
    await Promise.all(emails.slice(start, start + 3).map((email) => signUp(waitlist, email)));
  const invited = async () => (await every(waitlist)).filter(({ status }) => status === 'invited').length;
  const key = { 'idempotency-key': 'invite-killed' };
  const invite = () => team.api('POST', `/waitlists/${waitlist}/invite`, { count: 120 }, key);
  const cut = invite().catch(() => 'cut off');
  while ((await invited()) < 30);
  const port = Number(new URL(stack.origin).port);
  await stack.kill();
  expect(await cut).toBe('cut off');
  stack = await startStack({ data: folder, port });
  const before = await invited();
  expect(before).toBeLessThan(120);

  // The killed request holds its Idempotency-Key until its lease ends.
  await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
  const { status, body } = await invite();
  expect([status, body.data.invited, new Set(body.data.signup_ids).size]).toEqual([200, 120, 120]);
  expect(await invited()).toBe(120);
  const sent = await messages(waitlist);
  expect(new Set(sent).size).toBe(sent.length);
  expect(sent).toHaveLength(120);
}, 120_000);

it('deletes the rows of a deleted waitlist in the background, and erases contacts meanwhile', async () => {
  const waitlist = await newWaitlist();
  const [first, second] = [`one-${waitlist}@example.com`, `two-${waitlist}@example.com`];
  for (const email of [first, second]) await signUp(waitlist, email);
  await team.api('POST', '/contacts', { email: second });
  const table = await rawTable(folder);
  const pk = `TEAM#${team.id}#WAITLIST#${waitlist}`;
  const codes = Array.from({ length: 2_000 }, (_, index) => ({ pk, sk: `CODE#${index}`, signup_id: index }));
  await table.write(codes);
  expect((await team.api('DELETE', `/waitlists/${waitlist}`)).status).toBe(200);
  expect((await team.api('GET', `/waitlists/${waitlist}/signups`)).status).toBe(404);
  expect((await table.naming(pk)).length).toBeGreaterThan(0);
  // A row that the purge has not reached.
  const [sk, id] = [String(waitlist).padStart(12, '0'), 999];
  await table.write([
    { pk: `TEAM#${team.id}#WAITLIST_EMAIL#${second}`, sk, waitlist_id: waitlist, signup_id: id },
    { pk: `${pk}#SIGNUPS`, sk: String(id).padStart(12, '0'), id, email: second, status: 'pending' },
  ]);
  expect((await team.api('POST', `/contacts/${second}/erase`)).status).toBe(200);
  // The erasure runs once more, for requests that were under way when it began.
  expect((await table.naming(second)).map((row) => row.kind)).toEqual(['erase']);
  await control('POST', '/clock', { advance_seconds: 600 }, stack.origin);
  await idle(stack.origin);
  expect(await table.naming(pk)).toEqual([]);
  for (const email of [first, second]) expect(await table.naming(email)).toEqual([]);
}, 120_000);

it('skips many suppressed addresses at the front in a few reads', async () => {
  const waitlist = await newWaitlist();
  const email = (index: number) => `front-${index}@example.com`;
  for (let index = 0; index < 80; index++) {
    await team.api('POST', `/waitlists/${waitlist}/signups`, { email: email(index) });
    if (index < 78) await team.api('POST', '/suppressions', { email: email(index), reason: 'manual' });
  }
  const all = await every(waitlist);
  const idOf = (index: number) => all.find((signup) => signup.email === email(index))!.id;
  await control('POST', '/usage', undefined, stack.origin);
  const { body } = await team.api('POST', `/waitlists/${waitlist}/invite`, { count: 1 });
  const { calls } = (await control('DELETE', '/usage', undefined, stack.origin)).body;
  expect(body.data.signup_ids).toEqual([idOf(78)]);
  expect(calls['dynamodb:Query']).toBeLessThan(40);
  const rest = await team.api('POST', `/waitlists/${waitlist}/invite`, { count: 3 });
  expect(rest.body.data.signup_ids).toEqual([idOf(79)]);
});
