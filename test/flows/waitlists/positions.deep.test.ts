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

/** A waitlist in memory: its queue is an array of addresses. */
class Model {
  readonly signups: { email: string; status: string; referrals: number; referred: boolean }[] = [];
  queue: string[] = [];

  signUp(email: string, referrer: string | undefined): void {
    const known = this.signups.find((one) => one.email === email);
    if (known && known.status !== 'removed') return;
    const person = known ?? { email, status: 'pending', referrals: 0, referred: false };
    if (!known) this.signups.push(person);
    person.status = 'pending';
    this.queue.push(email);
    if (referrer === undefined || referrer === email || person.referred) return;
    person.referred = true;
    this.signups.find((one) => one.email === referrer)!.referrals++;
    const at = this.queue.indexOf(referrer);
    if (at >= 0) this.queue.splice(Math.max(0, at - 3), 0, ...this.queue.splice(at, 1));
  }

  end(emails: readonly string[], status: string): readonly string[] {
    const able = status === 'invited' ? emails.filter((email) => this.queue.includes(email)) : emails;
    for (const person of this.signups) if (able.includes(person.email)) person.status = status;
    this.queue = this.queue.filter((email) => !able.includes(email));
    return able;
  }
}

it('gives 40 concurrent signups the positions 1 to 40', async () => {
  const waitlist = await newWaitlist();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => signUp(waitlist, `p${index}@example.com`)),
  );
  expect(ascending(answers.map(({ position }) => position))).toEqual(answers.map((_, index) => index + 1));
  expect(await expectConsistent(waitlist)).toEqual([...answers].sort((a, b) => b.id - a.id));
});

it('equals an array where a referral moves up 3 after random signups, invitations and removals', async () => {
  const waitlist = await newWaitlist();
  const model = new Model();
  const known: Signup[] = [];
  const emailOf = (id: number) => known.find((one) => one.id === id)!.email;
  const one = (place: number) => known[place % known.length]?.email;
  for (const [step, what] of fc.sample(action, { seed: 20261121, numRuns: 160 }).entries()) {
    const answer = await perform(waitlist, what, known);
    if (what.kind === 'signup') {
      const signup = answer as Signup;
      model.signUp(signup.email, what.referrer === undefined ? undefined : one(what.referrer));
      if (!known.some(({ id }) => id === signup.id)) known.push(signup);
      const position = model.queue.indexOf(signup.email) + 1;
      expect(signup.position).toBe(position === 0 ? null : position);
    } else if (what.kind === 'remove') {
      const gone = one(what.signup);
      model.end(gone ? [gone] : [], 'removed');
    } else {
      const emails =
        what.kind === 'count' ? model.queue.slice(0, what.count) : what.signups.flatMap((place) => one(place) ?? []);
      expect((answer as number[]).map(emailOf)).toEqual(model.end([...new Set(emails)], 'invited'));
    }
    if (step % 8 !== 7) continue;
    const shown = await expectConsistent(waitlist);
    const waiting = shown.filter(({ position }) => position !== null).sort((a, b) => a.position! - b.position!);
    expect(waiting.map(({ email }) => email)).toEqual(model.queue);
    expect(
      shown.map(({ email, status, referrals_count: referrals }) => ({ email, status, referrals })).reverse(),
    ).toEqual(model.signups.map(({ email, status, referrals }) => ({ email, status, referrals })));
  }
  expect(model.signups.length).toBeGreaterThan(20);
});
