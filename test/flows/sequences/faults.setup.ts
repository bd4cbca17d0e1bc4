import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Message } from '../../support/campaign.ts';
import { enrol, newSequence, newStep, pass, stepsSent, subscribersOf } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, patient, type Team } from '../../support/team.ts';

export let folder: string;
export let stack: Stack;
export let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-sequence-faults-'));
  stack = await startStack({ data: folder });
  team = patient(await newTeam({ origin: stack.origin }));
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
export const forward = (seconds: number) => pass(stack.origin, seconds);

/** The number of messages by step and address. */
export const tally = (messages: readonly Message[]) =>
  Object.fromEntries(
    [...Map.groupBy(messages, ({ to, subject }) => `${subject}: ${to}`)].map(([key, all]) => [key, all.length]),
  );

export const once = (emails: readonly string[], subjects: readonly string[]) =>
  Object.fromEntries(subjects.flatMap((subject) => emails.map((email) => [`${subject}: ${email}`, 1])));

let rounds = 0;

/** A sequence of two steps whose `count` subscribers wait for the first. */
export async function crowd(count = 70): Promise<{ sequence: number; emails: string[] }> {
  const domain = `crowd-${++rounds}.example`;
  const emails = Array.from({ length: count }, (_, index) => `p${index}@${domain}`);
  await team.api('POST', '/contacts/bulk', { contacts: emails.map((email) => ({ email })) });
  const sequence = await newSequence(team, [newStep('One', 3, 'minutes'), newStep('Two', 3, 'minutes')]);
  expect((await enrol(team, sequence, emails)).enrolled).toBe(count);
  return { sequence, emails };
}

/** Runs a sequence under faults, then without them to its end. */
export async function runUnder(faults: readonly object[]) {
  const made = await crowd();
  for (const fault of faults) await inject(fault);
  for (let time = 0; time < 4; time++) await forward(130);
  await control('DELETE', '/faults', undefined, stack.origin);
  // A shard rests for at most a quarter of an hour; then the second step is due.
  for (let time = 0; time < 4; time++) await forward(6 * 60);
  const inside = [...(await subscribersOf(team, made.sequence)).values()];
  // Paused, it does not run during the next tests.
  await team.api('PATCH', `/sequences/${made.sequence}`, { status: 'paused' });
  return { ...made, inside, messages: await stepsSent(team, made.sequence, stack.origin) };
}

export async function restart(): Promise<void> {
  stack = await stack.restart();
}
