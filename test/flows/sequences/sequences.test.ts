import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyRow, idle, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { enrol, newContacts, newSequence, newStep, pass, stepsSent, subscribersOf } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

let folder: string;
let stack: Stack;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-sequences-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

const hour = 3_600;
const day = 24 * hour;
const forward = (seconds: number) => pass(stack.origin, seconds);
const sent = (sequence: number, from = team) => stepsSent(from, sequence, stack.origin);
const subjects = async (sequence: number, from = team) => (await sent(sequence, from)).map(({ subject }) => subject);
const patch = (sequence: number, body: object) => team.api('PATCH', `/sequences/${sequence}`, body);

/** A sequence with these steps and one subscriber. */
async function withOne(email: string, steps: readonly object[], fields: object = {}): Promise<number> {
  const sequence = await newSequence(team, steps, fields as Record<string, unknown>);
  await newContacts(team, [email]);
  expect((await enrol(team, sequence, [email])).enrolled).toBe(1);
  return sequence;
}

it('sends each step at its time over 30 days', async () => {
  const days = [0, 1, 2, 4, 8, 15];
  const sequence = await withOne(
    'thirty@example.com',
    days.map((delay, index) => newStep(`Step ${index + 1}`, delay)),
  );
  await idle(stack.origin);
  for (const [index, delay] of days.entries()) {
    if (index > 0) await forward(delay * day);
    expect(await subjects(sequence)).toEqual(days.slice(0, index + 1).map((_, at) => `Step ${at + 1}`));
  }
  expect((await subscribersOf(team, sequence)).get('thirty@example.com')).toMatchObject({
    status: 'completed',
    current_step: 6,
    next_run_at: null,
    completed_at: expect.any(String),
  });
});

describe('a paused sequence', () => {
  it('sends nothing, and after it resumes the overdue steps one at a time', async () => {
    const steps = [newStep('One', 1), newStep('Two', 1), newStep('Three', 1)];
    const sequence = await withOne('paused@example.com', steps);
    await patch(sequence, { status: 'paused' });
    await forward(5 * day);
    expect(await subjects(sequence)).toEqual([]);
    await patch(sequence, { status: 'active' });
    await forward(61);
    expect(await subjects(sequence)).toEqual(['One']);
    await forward(day);
    expect(await subjects(sequence)).toEqual(['One', 'Two']);
    await forward(day);
    expect(await subjects(sequence)).toEqual(['One', 'Two', 'Three']);
  });
});

describe('steps that are edited while a subscriber waits', () => {
  const put = async (sequence: number, steps: readonly object[]) => {
    const { status } = await team.api('PUT', `/sequences/${sequence}/steps`, { steps });
    expect(status).toBe(200);
  };
  const shown = async (sequence: number) => (await team.api('GET', `/sequences/${sequence}/steps`)).body.data.steps;

  it('are sent in the new order and wording, none twice and none that was added before the place', async () => {
    const sequence = await withOne('edits@example.com', [newStep('A'), newStep('B', 1), newStep('C', 1)]);
    await idle(stack.origin);
    const [a, b, c] = await shown(sequence);
    await put(sequence, [newStep('Too late', 1), a, newStep('New', 1), { ...c, subject: 'C, mended' }, b]);
    const view = (await subscribersOf(team, sequence)).get('edits@example.com');
    expect(view.current_step).toBe(3);
    for (let days = 0; days < 4; days++) await forward(day);
    expect(await subjects(sequence)).toEqual(['A', 'New', 'C, mended', 'B']);
    expect((await subscribersOf(team, sequence)).get('edits@example.com').status).toBe('completed');
  });

  it('complete the sequence for the subscriber when none is left', async () => {
    const sequence = await withOne('last@example.com', [newStep('A'), newStep('B', 1)]);
    await idle(stack.origin);
    const [a] = await shown(sequence);
    await put(sequence, [a]);
    await forward(day + 61);
    expect(await subjects(sequence)).toEqual(['A']);
    expect((await subscribersOf(team, sequence)).get('last@example.com').status).toBe('completed');
  });

  it('make the subscriber wait longer when the delay has grown', async () => {
    const sequence = await withOne('grown@example.com', [newStep('A', 1)]);
    const [a] = await shown(sequence);
    await put(sequence, [{ ...a, delay_value: 3 }]);
    await forward(day + 61);
    expect(await subjects(sequence)).toEqual([]);
    await forward(2 * day);
    expect(await subjects(sequence)).toEqual(['A']);
  });
});

describe('right before a send', () => {
  it('a subscriber that was suppressed, for the team or for all teams, leaves', async () => {
    const sequence = await withOne('manual@example.com', [newStep('A', 1)]);
    await newContacts(team, ['platform@example.com']);
    await enrol(team, sequence, ['platform@example.com']);
    await team.api('POST', '/suppressions', { email: 'manual@example.com', reason: 'manual' });
    await operate(folder, 'suppression add', { platform: true, email: 'platform@example.com', reason: 'spam_report' });
    await forward(day + 61);
    expect(await sent(sequence)).toEqual([]);
    const inside = await subscribersOf(team, sequence);
    expect(inside.get('manual@example.com')).toMatchObject({ status: 'exited', exit_reason: 'suppressed' });
    expect(inside.get('platform@example.com')).toMatchObject({ status: 'exited', exit_reason: 'complained' });
  });
});

describe('subscribers wait, and none is lost,', () => {
  it('while the sending domain is not verified', async () => {
    const domains = ['first.wait.example', 'second.wait.example'];
    const made = (await control('POST', '/teams', { name: 'Two', domains }, stack.origin)).body;
    const own: Team = { ...team.withKey(made.api_key), id: made.team_id, domain: domains[0]! };
    const sequence = await newSequence(own, [newStep('A', 1)]);
    await newContacts(own, ['domain@example.com']);
    await enrol(own, sequence, ['domain@example.com']);
    expect((await own.api('DELETE', `/sending-domains/${own.domain}`)).status).toBe(200);
    await forward(day + 61);
    expect(await sent(sequence, own)).toEqual([]);
    expect((await subscribersOf(own, sequence)).get('domain@example.com').status).toBe('active');
    const change = (from_email: string) => own.api('PATCH', `/sequences/${sequence}`, { from_email });
    expect((await change(`me@${team.domain}`)).body.code).toBe('sending_domain_unverified');
    expect((await change(`me@${domains[1]}`)).status).toBe(200);
    await forward(hour);
    expect(await subjects(sequence, own)).toEqual(['A']);
  });

  it('while the team is suspended', async () => {
    const own = await newTeam({ origin: stack.origin });
    const sequence = await newSequence(own, [newStep('A', 1)]);
    await newContacts(own, ['suspended@example.com']);
    await enrol(own, sequence, ['suspended@example.com']);
    await operate(folder, 'team suspend', { team_id: own.id });
    await forward(day + 61);
    expect(await sent(sequence, own)).toEqual([]);
    await operate(folder, 'team unsuspend', { team_id: own.id });
    await forward(hour);
    expect(await subjects(sequence, own)).toEqual(['A']);
  });

  it("while the month's emails are used up, without exceeding them", async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const sequence = await newSequence(own, [newStep('A', 1)]);
    const emails = Array.from({ length: 12 }, (_, index) => `allowed-${index}@example.com`);
    await newContacts(own, emails);
    await enrol(own, sequence, emails);
    await forward(day - 120);
    const { body } = await own.api('GET', '/lists');
    expect(body.data).toHaveLength(1);
    const clock = Date.parse((await enrolledAt(own, sequence)) as string) + day * 1000;
    const months = [clock, clock - day * 1000, clock + day * 1000].map((at) => new Date(at).toISOString().slice(0, 7));
    const table = await rawTable(folder);
    await table.write(
      [...new Set(months)].map((month) => ({ pk: `TEAM#${own.id}`, sk: `USAGE#${month}`, emails: 999_993 })),
    );
    await forward(5 * 60);
    expect((await sent(sequence, own)).length).toBe(7);
    await operate(folder, 'team plan', { team_id: own.id, plan: 'enterprise' });
    await forward(hour);
    expect(new Set((await sent(sequence, own)).map(({ to }) => to)).size).toBe(12);
    expect(await sent(sequence, own)).toHaveLength(12);
  });
});

const enrolledAt = async (from: Team, sequence: number) =>
  [...(await subscribersOf(from, sequence)).values()][0]!.enrolled_at;

it('sends once to each of 2,000 subscribers due in the same minute, without blocking another sequence', async () => {
  const people = rows(2_000, 'crowd.example');
  for (let start = 0; start < people.length; start += 1_000)
    await team.api('POST', '/contacts/bulk', { contacts: people.slice(start, start + 1_000) });
  const crowd = await newSequence(team, [newStep('Crowd', 1), newStep('Later', 30)]);
  const emails = people.map(({ email }) => email);
  for (let start = 0; start < emails.length; start += 1_000)
    expect((await enrol(team, crowd, emails.slice(start, start + 1_000))).enrolled).toBe(1_000);
  const single = await withOne('single@example.com', [newStep('Single', 1)]);
  await forward(day + 61);
  const messages = await sent(crowd);
  expect(messages.map(({ to }) => to).sort()).toEqual(emails.toSorted());
  expect(await subjects(single)).toEqual(['Single']);
  const inside = await everyRow(team, `/sequences/${crowd}/subscribers`);
  expect(inside.filter(({ status, current_step }) => status === 'active' && current_step === 2)).toHaveLength(2_000);
}, 180_000);

it('deletes the remaining rows of a deleted sequence in the background', async () => {
  const people = rows(1_300, 'cleanup.example');
  await team.api('POST', '/contacts/bulk', { contacts: people.slice(0, 1_000) });
  await team.api('POST', '/contacts/bulk', { contacts: people.slice(1_000) });
  const sequence = await newSequence(team, [newStep('Never', 1)]);
  for (const part of [people.slice(0, 1_000), people.slice(1_000)])
    await enrol(
      team,
      sequence,
      part.map(({ email }) => email),
    );
  expect((await team.api('DELETE', `/sequences/${sequence}`)).status).toBe(200);
  await forward(180);
  const table = await rawTable(folder);
  expect(await table.naming(`TEAM#${team.id}#SEQUENCE#${sequence}`)).toEqual([]);
  await forward(day);
  expect(await sent(sequence)).toEqual([]);
}, 120_000);
