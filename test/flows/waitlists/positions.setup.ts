import * as fc from 'fast-check';
import { beforeAll, expect } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { newTeam, patient, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  // Where many change one waitlist, a busy machine answers 503 to some, as a busy table does.
  team = patient(await newTeam());
});

/** A signup as the API shows it. */
export interface Signup {
  id: number;
  email: string;
  position: number | null;
  status: string;
  referral_code: string;
  referrals_count: number;
}

export async function newWaitlist(): Promise<number> {
  return (await team.api('POST', '/waitlists', { name: 'Positions' })).body.data.id;
}

export async function write(method: string, path: string, body?: unknown) {
  const answer = await team.api(method, path, body);
  expect([answer.status, answer.body.code]).toEqual([200, undefined]);
  return answer.body.data;
}

export const signUp = (waitlist: number, email: string, referral_code?: string): Promise<Signup> =>
  write('POST', `/waitlists/${waitlist}/signups`, { email, referral_code });

export const ascending = (positions: readonly (number | null)[]) => [...positions].sort((a, b) => a! - b!);

/** Checks an idle waitlist: pending signups have positions 1 to n, others none, and the count equals a recount. */
export async function expectConsistent(waitlist: number): Promise<Signup[]> {
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

/** An action on a waitlist; a signup is an index into all signups ever made. */
type Action =
  | { kind: 'signup'; email: number; referrer: number | undefined }
  | { kind: 'ids'; signups: number[] }
  | { kind: 'count'; count: number }
  | { kind: 'remove'; signup: number };

const signup = fc.nat(1_000);
export const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: signupOf(fc.constant(undefined)) },
  { weight: 6, arbitrary: signupOf(signup) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ids'), signups: fc.array(signup, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('count'), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), signup }) },
) as fc.Arbitrary<Action>;

function signupOf(referrer: fc.Arbitrary<number | undefined>) {
  return fc.record({ kind: fc.constant('signup'), email: fc.nat(60), referrer });
}

/** Performs an action on a waitlist, on signups that are known already. */
export async function perform(
  waitlist: number,
  what: Action,
  known: readonly Signup[],
): Promise<Signup | number[] | undefined> {
  const one = (place: number) => known[place % known.length];
  switch (what.kind) {
    case 'signup': {
      const referrer = what.referrer === undefined ? undefined : one(what.referrer);
      return signUp(waitlist, `p${what.email}@example.com`, referrer?.referral_code);
    }
    case 'ids': {
      const signup_ids = what.signups.flatMap((place) => one(place)?.id ?? []);
      return (await write('POST', `/waitlists/${waitlist}/invite`, { signup_ids })).signup_ids;
    }
    case 'count':
      return (await write('POST', `/waitlists/${waitlist}/invite`, { count: what.count })).signup_ids;
    case 'remove': {
      const gone = one(what.signup);
      if (gone) await write('DELETE', `/waitlists/${waitlist}/signups/${gone.id}`);
      return undefined;
    }
  }
}
