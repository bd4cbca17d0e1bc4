import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

/** A signup as the API shows it. */
interface Signup {
  id: number;
  email: string;
  position: number | null;
  status: string;
  referral_code: string;
  referrals_count: number;
}

async function newWaitlist(): Promise<number> {
  return (await team.api('POST', '/waitlists', { name: 'Positions' })).body.data.id;
}

async function write(method: string, path: string, body?: unknown) {
  const answer = await team.api(method, path, body);
  expect([answer.status, answer.body.code]).toEqual([200, undefined]);
  return answer.body.data;
}

const signUp = (waitlist: number, email: string, referral_code?: string): Promise<Signup> =>
  write('POST', `/waitlists/${waitlist}/signups`, { email, referral_code });

const ascending = (positions: readonly (number | null)[]) => [...positions].sort((a, b) => a! - b!);

/** Checks an idle waitlist: positions 1 to n among the pending, none elsewhere, and counts that equal a recount. */
async function expectWhole(waitlist: number): Promise<Signup[]> {
  const all: Signup[] = await everyRow(team, `/waitlists/${waitlist}/signups`);
  const waiting = all.filter(({ status }) => status === 'pending');
  expect(ascending(waiting.map(({ position }) => position))).toEqual(waiting.map((_, index) => index + 1));
  for (const { status, position } of all) if (status !== 'pending') expect(position).toBeNull();
  expect(new Set(all.map(({ email }) => email)).size).toBe(all.length);
  expect(new Set(all.map(({ referral_code }) => referral_code)).size).toBe(all.length);
  const { body } = await team.api('GET', `/waitlists/${waitlist}`);
  expect(body.data.signups_count).toBe(all.filter(({ status }) => status !== 'removed').length);
  return all;
}

it('gives 40 concurrent signups the positions 1 to 40', async () => {
  const waitlist = await newWaitlist();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => signUp(waitlist, `p${index}@example.com`)),
  );
  expect(ascending(answers.map(({ position }) => position))).toEqual(answers.map((_, index) => index + 1));
  expect(await expectWhole(waitlist)).toEqual([...answers].sort((a, b) => b.id - a.id));
});

/** A change of a waitlist; `who` is an index into all signups ever made. */
type Happening =
  | { kind: 'signup'; email: number; referrer: number | undefined }
  | { kind: 'ids'; who: number[] }
  | { kind: 'count'; count: number }
  | { kind: 'remove'; who: number };

const who = fc.nat(1_000);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: signupOf(fc.constant(undefined)) },
  { weight: 6, arbitrary: signupOf(who) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ids'), who: fc.array(who, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('count'), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), who }) },
) as fc.Arbitrary<Happening>;

function signupOf(referrer: fc.Arbitrary<number | undefined>) {
  return fc.record({ kind: fc.constant('signup'), email: fc.nat(60), referrer });
}

/** A waitlist in memory: an array of pending signups. */
class Model {
  readonly people: { email: string; status: string; referrals: number; referred: boolean }[] = [];
  queue: string[] = [];

  signUp(email: string, referrer: string | undefined): void {
    const known = this.people.find((one) => one.email === email);
    if (known && known.status !== 'removed') return;
    const person = known ?? { email, status: 'pending', referrals: 0, referred: false };
    if (!known) this.people.push(person);
    person.status = 'pending';
    this.queue.push(email);
    if (referrer === undefined || referrer === email || person.referred) return;
    person.referred = true;
    this.people.find((one) => one.email === referrer)!.referrals++;
    const at = this.queue.indexOf(referrer);
    if (at >= 0) this.queue.splice(Math.max(0, at - 3), 0, ...this.queue.splice(at, 1));
  }

  end(emails: readonly string[], status: string): readonly string[] {
    const able = status === 'invited' ? emails.filter((email) => this.queue.includes(email)) : emails;
    for (const person of this.people) if (able.includes(person.email)) person.status = status;
    this.queue = this.queue.filter((email) => !able.includes(email));
    return able;
  }
}

/** Makes a change to a waitlist and its present signups. */
async function happen(
  waitlist: number,
  what: Happening,
  known: readonly Signup[],
): Promise<Signup | number[] | undefined> {
  const one = (place: number) => known[place % known.length];
  switch (what.kind) {
    case 'signup': {
      const referrer = what.referrer === undefined ? undefined : one(what.referrer);
      return signUp(waitlist, `p${what.email}@example.com`, referrer?.referral_code);
    }
    case 'ids': {
      const signup_ids = what.who.flatMap((place) => one(place)?.id ?? []);
      return (await write('POST', `/waitlists/${waitlist}/invite`, { signup_ids })).signup_ids;
    }
    case 'count':
      return (await write('POST', `/waitlists/${waitlist}/invite`, { count: what.count })).signup_ids;
    case 'remove': {
      const gone = one(what.who);
      if (gone) await write('DELETE', `/waitlists/${waitlist}/signups/${gone.id}`);
      return undefined;
    }
  }
}

it('behaves in a random run as an array in which a referral moves up 3', async () => {
  const waitlist = await newWaitlist();
  const model = new Model();
  const known: Signup[] = [];
  const emailOf = (id: number) => known.find((signup) => signup.id === id)!.email;
  const one = (place: number) => known[place % known.length]?.email;
  for (const [step, what] of fc.sample(happening, { seed: 20261121, numRuns: 160 }).entries()) {
    const answer = await happen(waitlist, what, known);
    if (what.kind === 'signup') {
      const signup = answer as Signup;
      model.signUp(signup.email, what.referrer === undefined ? undefined : one(what.referrer));
      if (!known.some(({ id }) => id === signup.id)) known.push(signup);
      const position = model.queue.indexOf(signup.email) + 1;
      expect(signup.position).toBe(position === 0 ? null : position);
    } else if (what.kind === 'remove') {
      const gone = one(what.who);
      model.end(gone ? [gone] : [], 'removed');
    } else {
      const emails =
        what.kind === 'count' ? model.queue.slice(0, what.count) : what.who.flatMap((place) => one(place) ?? []);
      expect((answer as number[]).map(emailOf)).toEqual(model.end([...new Set(emails)], 'invited'));
    }
    if (step % 8 !== 7) continue;
    const shown = await expectWhole(waitlist);
    const waiting = shown.filter(({ position }) => position !== null).sort((a, b) => a.position! - b.position!);
    expect(waiting.map(({ email }) => email)).toEqual(model.queue);
    expect(
      shown.map(({ email, status, referrals_count: referrals }) => ({ email, status, referrals })).reverse(),
    ).toEqual(model.people.map(({ email, status, referrals }) => ({ email, status, referrals })));
  }
  expect(model.people.length).toBeGreaterThan(20);
});

it('has positions 1 to n, counts each referral once and invites nobody twice in a concurrent run', async () => {
  const waitlist = await newWaitlist();
  const known: Signup[] = [];
  for (let index = 0; index < 10; index++) known.push(await signUp(waitlist, `first-${index}@example.com`));
  const run = fc.sample(happening, { seed: 20261122, numRuns: 160 });
  const invited: number[] = [];
  let referred = 0;
  const concurrency = 6;
  await Promise.all(
    Array.from({ length: concurrency }, async (_, client) => {
      for (let index = client; index < run.length; index += concurrency) {
        const what = run[index]!;
        // No removals: then each signup is invited at most once and each code counts.
        if (what.kind === 'signup') what.email = 100 + index;
        const answer = await happen(waitlist, what, known);
        if (what.kind === 'signup') known.push(answer as Signup);
        if (what.kind === 'signup' && what.referrer !== undefined) referred++;
        if (what.kind === 'ids' || what.kind === 'count') invited.push(...(answer as number[]));
      }
    }),
  );
  const shown = await expectWhole(waitlist);
  expect(new Set(invited).size).toBe(invited.length);
  const gone = shown.filter(({ status }) => status !== 'pending').map(({ id }) => id);
  expect(gone).toEqual(expect.arrayContaining(invited));
  expect(shown.reduce((sum, { referrals_count }) => sum + referrals_count, 0)).toBe(referred);
});

it('counts positions over several buckets, after signups have left anywhere', async () => {
  const waitlist = await newWaitlist();
  const emails = Array.from({ length: 450 }, (_, index) => `many-${index}@example.com`);
  const signups: Signup[] = [];
  for (let start = 0; start < emails.length; start += 3)
    signups.push(...(await Promise.all(emails.slice(start, start + 3).map((email) => signUp(waitlist, email)))));
  const inOrder = () => expectWhole(waitlist).then((all) => all.filter(({ position }) => position !== null));
  const queue = (await inOrder()).sort((a, b) => a.position! - b.position!);
  for (const at of [0, 199, 200, 398, 399, 449])
    await write('DELETE', `/waitlists/${waitlist}/signups/${queue[at]!.id}`);
  // A signup moves across the border of a bucket.
  await signUp(waitlist, 'last@example.com', queue[201]!.referral_code);
  expect((await signUp(waitlist, queue[201]!.email)).position).toBe(196);
  expect((await write('POST', `/waitlists/${waitlist}/invite`, { count: 230 })).invited).toBe(230);
  const left = await inOrder();
  expect(left).toHaveLength(450 - 6 + 1 - 230);
  expect((await signUp(waitlist, queue[448]!.email)).position).toBe(left.length - 1);
}, 120_000);

it('invites each signup once under concurrent invitations, from the front', async () => {
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
  await expectWhole(waitlist);
});
