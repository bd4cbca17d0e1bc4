import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { everyRow, idle, type Message } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

export let folder: string;
export let stack: Stack;
export let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-waitlist-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

export const newWaitlist = async (): Promise<number> =>
  (await team.api('POST', '/waitlists', { name: 'Faults' })).body.data.id;
export const every = (waitlist: number) => everyRow(team, `/waitlists/${waitlist}/signups`);

/** Makes a request as a client that retries 503, 409 and lost responses, up to 40 times. */
export async function untilServed(request: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request().catch(() => undefined);
    if (answer && answer.status !== 503 && answer.status !== 409) return answer;
    expect(attempt).toBeLessThan(40);
  }
}

export const signUp = (waitlist: number, email: string, referral_code?: string) =>
  untilServed(() => team.api('POST', `/waitlists/${waitlist}/signups`, { email, referral_code }));

/** The addresses of the messages that were sent to the signups of a waitlist. */
export async function messages(waitlist: number): Promise<string[]> {
  // The reconciler publishes outbox events that could not be queued, a minute later.
  await control('POST', '/clock', { advance_seconds: 130 }, stack.origin);
  await idle(stack.origin);
  const { body } = await control('GET', '/messages', undefined, stack.origin);
  return (body.data as Message[]).map(({ to }) => to).filter((to) => to.includes(`-${waitlist}@`));
}

export async function restart(): Promise<void> {
  stack = await stack.restart();
}
