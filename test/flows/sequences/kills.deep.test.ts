import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { stepsSent, subscribersOf } from '../../support/sequence.ts';
import { control } from '../../support/team.ts';
import { crowd, forward, restart, stack, tally, team } from './faults.setup.ts';

const kills = Number(process.env.CRASH_KILLS ?? 1);

it('mails no subscriber twice and completes all of them when the stack is killed repeatedly', async () => {
  const people = 120;
  const { sequence, emails } = await crowd(people);
  const accepted = async () => (await stepsSent(team, sequence, stack.origin)).length;
  for (let kill = 0; kill < kills; kill++) {
    const before = await accepted();
    // The stack is killed before this request ends.
    const advance = control('POST', '/clock', { advance_seconds: 130 }, stack.origin).catch(() => undefined);
    const patience = Date.now() + 8_000;
    while ((await accepted()) < before + 30 && Date.now() < patience) await setTimeout(20);
    await stack.kill();
    await advance;
    await restart();
    await idle(stack.origin);
  }
  for (let time = 0; time < 4; time++) await forward(5 * 60);
  const messages = await stepsSent(team, sequence, stack.origin);
  expect(new Set(Object.values(tally(messages)))).toEqual(new Set([1]));
  const inside = [...(await subscribersOf(team, sequence)).values()];
  expect(inside.map(({ email }) => email)).toEqual(emails.toSorted());
  expect(inside.every(({ status }) => status === 'completed')).toBe(true);
  // Whoever has not got a step is told so: nobody knows whether SES accepted it.
  const got = new Set(messages.map(({ to, tags }) => `${to} ${tags.step}`));
  const steps = inside.flatMap((one) => [1, 2].map((step) => ({ ...one, step })));
  for (const { email, step, unknown_steps } of steps)
    if (!got.has(`${email} ${step}`)) expect(unknown_steps, email).toContain(step);
  // At each kill, at most one page of each shard was between claim and answer: one step of each subscriber.
  expect(2 * people - messages.length).toBeLessThanOrEqual(kills * people);
}, 240_000);
