import { beforeAll, expect } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
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
