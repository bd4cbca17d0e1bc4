import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { enrol, newContacts, newSequence, pass, stepsSent } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { newTeam, type Team } from '../../support/team.ts';

export let folder: string;
export let stack: Stack;
export let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-sequences-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

export const hour = 3_600;
export const day = 24 * hour;
export const forward = (seconds: number) => pass(stack.origin, seconds);
export const sent = (sequence: number, from = team) => stepsSent(from, sequence, stack.origin);
export const subjects = async (sequence: number, from = team) =>
  (await sent(sequence, from)).map(({ subject }) => subject);
/** A sequence with these steps, and one contact in it. */
export async function withOne(email: string, steps: readonly object[], fields: object = {}): Promise<number> {
  const sequence = await newSequence(team, steps, fields as Record<string, unknown>);
  await newContacts(team, [email]);
  expect((await enrol(team, sequence, [email])).enrolled).toBe(1);
  return sequence;
}

export const patch = (sequence: number, body: object) => team.api('PATCH', `/sequences/${sequence}`, body);
