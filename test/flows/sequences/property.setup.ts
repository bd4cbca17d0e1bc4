import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { idle, type Message } from '../../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep, pass, stepsSent, subscribersOf } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const count = 24;

const data = mkdtempSync(join(tmpdir(), 'mailwright-sequence-property-'));

let stack: Stack;
let team: Team;

beforeAll(async () => {
  stack = await startStack({ data });
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.kill();
  rmSync(data, { recursive: true, force: true });
});

/** Random numbers, reproducible by seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (count: number) => Math.floor(next() * count), chance: (share: number) => next() < share };
}

/** Kills the stack while it handles a jump of its clock, and restarts it. */
async function killDuring(seconds: number, milliseconds: number): Promise<void> {
  const jump = control('POST', '/clock', { advance_seconds: seconds }, stack.origin).catch(() => undefined);
  await Promise.race([jump, sleep(milliseconds)]);
  await stack.kill();
  await jump;
  stack = await startStack({ data, port: Number(new URL(stack.origin).port) });
}

/** Faults that leave no doubt whether a message was sent. */
const faults = [
  { service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.05 },
  { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException', rate: 0.2 },
  { service: 'dynamodb', operation: 'UpdateItem', error: 'lost_response', rate: 0.05 },
  { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.3 },
  { service: 'ses', operation: 'SendBulkEmail', error: 'lost_response', rate: 0.3 },
  { service: 'sqs', operation: '*', error: 'duplicate', rate: 0.4 },
];

interface ShownStep {
  id: number;
  subject: string;
}

/** When a step was added, and the ids of the steps behind it then. */
interface Added {
  at: string;
  behind: number[];
}

type Sent = Message & { accepted_at: string };

/** Runs random actions for so many rounds and kills of the stack, and checks the messages of each subscriber. */
export async function expectEachStepOnce(seed: number, rounds: number, kills: number): Promise<void> {
  const { below, chance } = randomOf(seed);
  const emails = Array.from({ length: count }, (_, index) => `p${index}@seed-${seed}.example`);
  const ids = await newContacts(team, emails);
  const minutes = (subject: string) => newStep(subject, below(4) * 5, 'minutes');
  const sequence = await newSequence(team, [minutes('A'), minutes('B'), minutes('C')]);
  const path = `/sequences/${sequence}`;
  const added = new Map<number, Added>();
  const out = new Map<string, string>();
  let steps: ShownStep[] = [];
  let paused = false;

  const now = async () => (await control('GET', '/clock', undefined, stack.origin)).body.now.replace('Z', '+00:00');
  const put = async (list: readonly object[]) => {
    const { status, body } = await team.api('PUT', `${path}/steps`, { steps: list });
    expect([status, body.message]).toEqual([200, undefined]);
    const at = await now();
    const known = new Set(added.keys());
    steps = body.data.steps;
    for (const [index, { id }] of steps.entries())
      if (!known.has(id))
        added.set(id, {
          at,
          behind: steps.slice(index + 1).flatMap((other) => (known.has(other.id) ? other.id : [])),
        });
  };
  const bare = () => steps.map(({ position: _position, ...step }: ShownStep & { position?: number }) => step);
  await put((await team.api('GET', `${path}/steps`)).body.data.steps);

  const actions: (() => Promise<unknown>)[] = [
    () =>
      enrol(
        team,
        sequence,
        emails.filter(() => chance(0.4)),
      ),
    () => put(bare().toSpliced(below(steps.length + 1), 0, minutes(`New ${added.size}`) as never)),
    () => (steps.length > 1 ? put(bare().toSpliced(below(steps.length), 1)) : Promise.resolve()),
    () => {
      const list = bare();
      const [moved] = list.splice(below(list.length), 1);
      return put(list.toSpliced(below(list.length + 1), 0, moved!));
    },
    () => put(bare().map((step, at) => (at === 0 ? { ...step, subject: `${step.subject}!`, id: undefined } : step))),
    async () => {
      const index = below(count);
      const email = emails[index]!;
      const way = below(3);
      if (way === 0) await team.api('PATCH', `/contacts/${email}`, { status: 'unsubscribed' });
      else if (way === 1) await team.api('DELETE', `/contacts/${email}`);
      else if ((await team.api('DELETE', `${path}/subscribers/${ids[index]}`)).body.data?.removed !== true) return;
      if (!out.has(email)) out.set(email, await now());
    },
  ];

  const killedIn = Array.from({ length: kills }, () => 1 + below(rounds - 1));
  for (let round = 0; round < rounds; round++) {
    if (paused && chance(0.6)) {
      await team.api('PATCH', path, { status: 'active' });
      paused = false;
    } else if (!paused && chance(0.1)) {
      await team.api('PATCH', path, { status: 'paused' });
      paused = true;
    }
    const action = round === 0 ? 0 : below(actions.length);
    if (!(paused && action === 0)) await actions[action]!();
    if (chance(0.4)) await control('POST', '/faults', faults[below(faults.length)], stack.origin);
    const seconds = 60 * (1 + below(12));
    if (killedIn.includes(round)) await killDuring(seconds, below(600));
    await pass(stack.origin, seconds);
    await control('DELETE', '/faults', undefined, stack.origin);
  }
  if (paused) await team.api('PATCH', path, { status: 'active' });
  for (let round = 0; round < 8; round++) await pass(stack.origin, 20 * 60);
  await idle(stack.origin);

  const messages = (await stepsSent(team, sequence, stack.origin)) as Sent[];
  const byAddress = Map.groupBy(messages, ({ to }) => to);
  const inside = await subscribersOf(team, sequence);
  const stepOf = ({ tags }: Sent) => Number(tags.step);
  const rows = await (await rawTable(data)).partition(`TEAM#${team.id}#SEQUENCE#${sequence}#SUBSCRIBERS`);
  const taken = new Map(rows.map(({ sk, had }) => [sk, had as number[]]));
  for (const [email, got] of byAddress) {
    expect(new Set(got.map(stepOf)).size, `${email} twice`).toBe(got.length);
    for (const { accepted_at } of got)
      expect(accepted_at <= (out.get(email) ?? '~'), `${email} after the exit`).toBe(true);
  }
  for (const [email, { status, completed_at, exit_reason }] of inside) {
    if (out.has(email) && status !== 'completed') expect([status, exit_reason]).toEqual(['exited', expect.any(String)]);
    else expect(status, email).toBe('completed');
    if (status !== 'completed') continue;
    const got = byAddress.get(email) ?? [];
    const had = new Map(got.map((message) => [stepOf(message), message.accepted_at]));
    // A kill between a claim and the provider's answer leaves a step that counts as sent.
    const lost = taken.get(email)!.filter((id) => !had.has(id));
    expect(lost.length, `${email} lost steps`).toBeLessThanOrEqual(killedIn.length);
    for (const id of lost) had.set(id, '');
    for (const { id } of steps.filter((step) => !had.has(step.id))) {
      const { at, behind } = added.get(id)!;
      const passed = behind.some((other) => (had.get(other) ?? '~') <= at);
      expect(passed || at >= completed_at, `${email} lacks step ${id}`).toBe(true);
    }
  }
  expect(inside.size).toBeGreaterThan(0);
  expect(messages.length).toBeGreaterThan(count / 2);
}
