import { describe, expect, it } from 'vitest';
import { everyRow, idle, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { enrol, newContacts, newSequence, newStep, subscribersOf } from '../../support/sequence.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';
import { day, folder, forward, hour, patch, sent, stack, subjects, team, withOne } from './sequences.setup.ts';

const enrolledAt = async (from: Team, sequence: number) =>
  [...(await subscribersOf(from, sequence)).values()][0]!.enrolled_at;

it('sends once to each of 1,000 subscribers due in the same minute, and delays no other sequence', async () => {
  const contacts = rows(1_000, 'crowd.example');
  await team.api('POST', '/contacts/bulk', { contacts });
  const crowd = await newSequence(team, [newStep('Crowd', 1), newStep('Later', 300)]);
  const emails = contacts.map(({ email }) => email);
  expect((await enrol(team, crowd, emails)).enrolled).toBe(1_000);
  const single = await withOne('single@example.com', [newStep('Single', 1)]);
  await forward(day + 61);
  // A page whose claim met those of many other shards, which all take from the allowance, is tried again.
  await forward(10 * 60);
  const messages = await sent(crowd);
  expect(messages.map(({ to }) => to).sort()).toEqual(emails.toSorted());
  expect(await subjects(single)).toEqual(['Single']);
  const inside = await everyRow(team, `/sequences/${crowd}/subscribers`);
  expect(inside.filter(({ status, current_step }) => status === 'active' && current_step === 2)).toHaveLength(1_000);
}, 180_000);

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

  it("while the month's allowance is used up, and it is never exceeded", async () => {
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

describe('a paused sequence', () => {
  it('sends nothing, and after it is resumed the overdue steps one at a time', async () => {
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

describe('steps that are edited while a contact is enrolled', () => {
  const put = async (sequence: number, steps: readonly object[]) => {
    const { status } = await team.api('PUT', `/sequences/${sequence}/steps`, { steps });
    expect(status).toBe(200);
  };
  const shown = async (sequence: number) => (await team.api('GET', `/sequences/${sequence}/steps`)).body.data.steps;

  it('are sent in their new order and words, none twice, and none from before the current place', async () => {
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
});

it('cleans up a deleted sequence in the background', async () => {
  const contacts = rows(1_300, 'cleanup.example');
  await team.api('POST', '/contacts/bulk', { contacts: contacts.slice(0, 1_000) });
  await team.api('POST', '/contacts/bulk', { contacts: contacts.slice(1_000) });
  const sequence = await newSequence(team, [newStep('Never', 1)]);
  for (const part of [contacts.slice(0, 1_000), contacts.slice(1_000)])
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

it('runs for 30 days, each step at its time', async () => {
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
