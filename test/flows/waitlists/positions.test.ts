import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { action, ascending, expectConsistent, newWaitlist, perform, type Signup, signUp } from './positions.setup.ts';

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
