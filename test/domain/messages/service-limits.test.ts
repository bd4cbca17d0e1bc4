import { expect, it } from 'vitest';
import { countedWith } from '../../../shared/domain/messages/service-limits.ts';

const day = 86_400_000;
const start = Date.parse('2026-11-22T10:00:00Z');

/** The days on which a message is sent when one is asked for at each of them. */
function sentOn(kind: Parameters<typeof countedWith>[0], days: readonly number[]): number[] {
  let sent: number[] = [];
  return days.filter((at) => {
    const counted = countedWith(kind, sent, start + at * day);
    sent = counted?.times ?? sent;
    return counted !== undefined;
  });
}

it.each(['confirmation', 'place'] as const)('sends a %s once a day, and three times in 31 days', (kind) => {
  expect(sentOn(kind, [0, 0.1, 0.99, 1, 1.5, 2, 3, 30, 30.99, 31, 31.5, 32, 33, 34])).toEqual([0, 1, 2, 31, 32, 33]);
});

it('invites once while it is remembered, which is a year', () => {
  expect(sentOn('invitation', [0, 1, 40, 364, 365])).toEqual([0, 365]);
  expect(countedWith('invitation', [], start)).toEqual({ times: [start], until: start + 365 * day });
});

it('invites to all waitlists together three times a day, and ten times in 31 days', () => {
  const twice = [0, 0.1, 0.2, 0.3, 1, 1.1, 1.2, 1.3, 2, 2.1, 2.2, 2.3, 3, 4];
  expect(sentOn('invitations', twice)).toEqual([0, 0.1, 0.2, 1, 1.1, 1.2, 2, 2.1, 2.2, 3]);
});

it('forgets a message when it counts no more', () => {
  const counted = countedWith('confirmation', [start, start + 2 * day], start + 32 * day);
  expect(counted).toEqual({ times: [start + 2 * day, start + 32 * day], until: start + 63 * day });
});
