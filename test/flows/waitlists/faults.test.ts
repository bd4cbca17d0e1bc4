import { expect, it } from 'vitest';
import { control } from '../../support/team.ts';
import { every, messages, newWaitlist, restart, signUp, stack, team } from './faults.setup.ts';

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
