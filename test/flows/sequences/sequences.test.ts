import { describe, expect, it } from 'vitest';
import { idle, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { enrol, newContacts, newSequence, newStep, subscribersOf } from '../../support/sequence.ts';
import { rawTable } from '../../support/table.ts';
import { day, folder, forward, sent, stack, subjects, team, withOne } from './sequences.setup.ts';

const patch = (sequence: number, body: object) => team.api('PATCH', `/sequences/${sequence}`, body);

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

  it('complete the sequence for a waiting contact when none is left', async () => {
    const sequence = await withOne('last@example.com', [newStep('A'), newStep('B', 1)]);
    await idle(stack.origin);
    const [a] = await shown(sequence);
    await put(sequence, [a]);
    await forward(day + 61);
    expect(await subjects(sequence)).toEqual(['A']);
    expect((await subscribersOf(team, sequence)).get('last@example.com').status).toBe('completed');
  });

  it('delay a waiting contact longer when the delay has grown', async () => {
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
  it('a contact that was suppressed for the team or the platform exits', async () => {
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
