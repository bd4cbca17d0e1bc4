import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  action,
  ascending,
  expectConsistent,
  newWaitlist,
  perform,
  type Signup,
  signUp,
  write,
} from './positions.setup.ts';

it('counts positions in a queue of several buckets, wherever a signup left', async () => {
  const waitlist = await newWaitlist();
  const emails = Array.from({ length: 450 }, (_, index) => `many-${index}@example.com`);
  const signups: Signup[] = [];
  for (let start = 0; start < emails.length; start += 3)
    signups.push(...(await Promise.all(emails.slice(start, start + 3).map((email) => signUp(waitlist, email)))));
  const inOrder = () => expectConsistent(waitlist).then((all) => all.filter(({ position }) => position !== null));
  const queue = (await inOrder()).sort((a, b) => a.position! - b.position!);
  for (const at of [0, 199, 200, 398, 399, 449])
    await write('DELETE', `/waitlists/${waitlist}/signups/${queue[at]!.id}`);
  // The first signup of a bucket moves up into the bucket before.
  await signUp(waitlist, 'last@example.com', queue[201]!.referral_code);
  expect((await signUp(waitlist, queue[201]!.email)).position).toBe(196);
  expect((await write('POST', `/waitlists/${waitlist}/invite`, { count: 230 })).invited).toBe(230);
  const left = await inOrder();
  expect(left).toHaveLength(450 - 6 + 1 - 230);
  expect((await signUp(waitlist, queue[448]!.email)).position).toBe(left.length - 1);
}, 120_000);

it('has positions 1 to n, every referral counted once and no signup invited twice after a concurrent run', async () => {
  const waitlist = await newWaitlist();
  const known: Signup[] = [];
  for (let index = 0; index < 10; index++) known.push(await signUp(waitlist, `first-${index}@example.com`));
  const run = fc.sample(action, { seed: 20261122, numRuns: 160 });
  const invited: number[] = [];
  let referred = 0;
  const concurrency = 6;
  await Promise.all(
    Array.from({ length: concurrency }, async (_, worker) => {
      for (let index = worker; index < run.length; index += concurrency) {
        const what = run[index]!;
        // Each address signs up once, so it can be invited only once and its referral counts.
        if (what.kind === 'signup') what.email = 100 + index;
        const answer = await perform(waitlist, what, known);
        if (what.kind === 'signup') known.push(answer as Signup);
        if (what.kind === 'signup' && what.referrer !== undefined) referred++;
        if (what.kind === 'ids' || what.kind === 'count') invited.push(...(answer as number[]));
      }
    }),
  );
  const shown = await expectConsistent(waitlist);
  expect(new Set(invited).size).toBe(invited.length);
  const gone = shown.filter(({ status }) => status !== 'pending').map(({ id }) => id);
  expect(gone).toEqual(expect.arrayContaining(invited));
  expect(shown.reduce((sum, { referrals_count }) => sum + referrals_count, 0)).toBe(referred);
});

it('concurrent invitations take the signups at the front, each one once', async () => {
  const waitlist = await newWaitlist();
  const signups: Signup[] = [];
  for (let index = 0; index < 36; index++) signups.push(await signUp(waitlist, `front-${index}@example.com`));
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => write('POST', `/waitlists/${waitlist}/invite`, { count: 8 })),
  );
  expect(answers.map(({ invited }) => invited)).toEqual([8, 8, 8, 8]);
  const invited = answers.flatMap(({ signup_ids }) => signup_ids as number[]);
  expect(ascending(invited)).toEqual(signups.slice(0, 32).map(({ id }) => id));
  expect((await write('POST', `/waitlists/${waitlist}/invite`, { count: 8 })).invited).toBe(4);
  await expectConsistent(waitlist);
});
