import { expect, it } from 'vitest';
import { expectConsistent, newWaitlist, type Signup, signUp, write } from './positions.setup.ts';

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
