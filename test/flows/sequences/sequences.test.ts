import { describe, expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { enrol, newContacts, newStep, subscribersOf } from '../../support/sequence.ts';
import { day, folder, forward, sent, stack, subjects, team, withOne } from './sequences.setup.ts';

describe('steps that are edited while a contact is enrolled', () => {
  const put = async (sequence: number, steps: readonly object[]) => {
    const { status } = await team.api('PUT', `/sequences/${sequence}/steps`, { steps });
    expect(status).toBe(200);
  };
  const shown = async (sequence: number) => (await team.api('GET', `/sequences/${sequence}/steps`)).body.data.steps;

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
