import { expect, it } from 'vitest';
import { idle, type Message } from '../../support/campaign.ts';
import { rawTable } from '../../support/table.ts';
import { call, control } from '../../support/team.ts';
import { every, folder, messages, newWaitlist, restart, signUp, stack, team, untilServed } from './faults.setup.ts';

const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);

it.each([
  ['lost_response', 0.25],
  ['TransactionCanceledException', 0.3],
  ['ProvisionedThroughputExceededException', 0.25],
])(
  'loses and doubles no signup and keeps every count when transactions answer %s',
  async (error, rate) => {
    const waitlist = await newWaitlist();
    const first = (await signUp(waitlist, `first-${waitlist}@example.com`)).body.data;
    await inject({ service: 'dynamodb', operation: 'TransactWriteItems', error, rate });
    const emails = Array.from({ length: 24 }, (_, index) => `p${index}-${waitlist}@example.com`);
    const workers = [0, 1, 2, 3].map(async (worker) => {
      for (const email of emails.slice(worker * 6, worker * 6 + 6)) {
        const answer = await signUp(waitlist, email, worker === 0 ? first.referral_code : undefined);
        expect([answer.status, answer.body.data.email]).toEqual([200, email]);
      }
    });
    await Promise.all(workers);
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
    const invitees = all.filter(({ status }) => status === 'invited').map(({ email }) => email);
    expect((await messages(waitlist)).sort()).toEqual(invitees.sort());
  },
  120_000,
);

it.each(['lost_response', 'TransactionCanceledException'])(
  'mails each place once and counts each confirmed referral once when transactions answer %s and messages come twice',
  async (error) => {
    const waitlist = await newWaitlist();
    const { public_url } = await team.data('GET', `/waitlists/${waitlist}`);
    const first = (await signUp(waitlist, `first-${waitlist}@example.com`)).body.data;
    for (const name of 'abc') await signUp(waitlist, `${name}-${waitlist}@example.com`);
    const referrer = (await signUp(waitlist, `referrer-${waitlist}@example.com`)).body.data;
    await inject({ service: 'dynamodb', operation: 'TransactWriteItems', error, rate: 0.25 });
    await inject({ service: 'sqs', operation: '*', error: 'duplicate', rate: 1 });
    const emails = Array.from({ length: 8 }, (_, index) => `page${index}-${waitlist}@example.com`);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const enter = (email: string) =>
      untilServed(() => call(public_url, 'POST', `email=${email}&ref=${referrer.referral_code}`, form));
    for (const email of emails) expect([200, 303]).toContain((await enter(email)).status);
    expect((await messages(waitlist)).sort()).toEqual(emails);
    expect((await signUp(waitlist, referrer.email)).body.data).toEqual(referrer);
    const { body } = await control('GET', '/messages', undefined, stack.origin);
    const links = (body.data as Message[]).flatMap(({ to, text }) =>
      emails.slice(0, 6).includes(to) ? /Confirm my address: (\S+)/.exec(text)![1]! : [],
    );
    const presses = [...links, ...links].map((link) => untilServed(() => call(link, 'POST', '')));
    for (const { status } of await Promise.all(presses)) expect(status).toBe(303);
    await control('DELETE', '/faults', undefined, stack.origin);
    expect((await signUp(waitlist, referrer.email)).body.data).toMatchObject({ referrals_count: 6, position: 1 });
    expect((await signUp(waitlist, first.email)).body.data.position).toBe(2);
    const positions = (await every(waitlist)).map(({ position }) => position).sort((a, b) => a - b);
    expect(positions).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
  },
  120_000,
);

it('cleans up a deleted waitlist in the background, and erases a contact from it meanwhile', async () => {
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
  // Rows that the clean-up has not reached yet.
  const [sk, id] = [String(waitlist).padStart(12, '0'), 999];
  await table.write([
    { pk: `TEAM#${team.id}#WAITLIST_EMAIL#${second}`, sk, waitlist_id: waitlist, signup_id: id },
    { pk: `${pk}#SIGNUPS`, sk: String(id).padStart(12, '0'), id, email: second, status: 'pending' },
  ]);
  expect((await team.api('POST', `/contacts/${second}/erase`)).status).toBe(200);
  // The erasure has a second pass, for requests that were running when it began.
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

it('continues an invitation after a kill, and invites and mails exactly the requested number', async () => {
  const waitlist = await newWaitlist();
  const emails = Array.from({ length: 150 }, (_, index) => `k${index}-${waitlist}@example.com`);
  for (let start = 0; start < emails.length; start += 3)
    await Promise.all(emails.slice(start, start + 3).map((email) => signUp(waitlist, email)));
  const invited = async () => (await every(waitlist)).filter(({ status }) => status === 'invited').length;
  const key = { 'idempotency-key': 'invite-killed' };
  const invite = () => team.api('POST', `/waitlists/${waitlist}/invite`, { count: 120 }, key);
  const cut = invite().catch(() => 'cut off');
  while ((await invited()) < 30);
  await stack.kill();
  expect(await cut).toBe('cut off');
  await restart();
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
