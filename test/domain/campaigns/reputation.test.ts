import { describe, expect, it } from 'vitest';
import { blockedByReputation, largestUnreviewed, tripped } from '../../../shared/domain/campaigns/reputation.ts';

describe("a team's week", () => {
  it.each([
    [{ sent: 99, bounced: 99, complained: 99 }, false],
    [{ sent: 100, bounced: 9, complained: 0 }, false],
    [{ sent: 100, bounced: 10, complained: 0 }, true],
    [{ sent: 101, bounced: 10, complained: 0 }, false],
    [{ sent: 100, bounced: 0, complained: 4 }, false],
    [{ sent: 100, bounced: 0, complained: 5 }, true],
    [{ sent: 10_000, bounced: 0, complained: 14 }, false],
    [{ sent: 10_000, bounced: 0, complained: 15 }, true],
  ])('%j blocks another send: %s', (week, expected) => {
    expect(blockedByReputation(week)).toBe(expected);
  });
});

describe('a running send', () => {
  it('continues while little is sent, and within the limits', () => {
    expect(tripped({ sent: 499, bounced: 400, complained: 0 }, 1_000)).toBeUndefined();
    expect(tripped({ sent: 4_999, bounced: 4_000, complained: 0 }, 100_000)).toBeUndefined();
    expect(tripped({ sent: 500, bounced: 49, complained: 4 }, 1_000)).toBeUndefined();
  });

  it('must pause for bounces or complaints, and the reason has the numbers', () => {
    expect(tripped({ sent: 500, bounced: 50, complained: 0 }, 1_000)).toBe(
      '50 of 500 accepted messages bounced; the limit is 10%',
    );
    expect(tripped({ sent: 5_000, bounced: 0, complained: 8 }, 100_000)).toBe(
      '8 of 5000 accepted messages were reported as spam; the limit is 0.15%',
    );
  });

  it('is judged by what happened since it was resumed', () => {
    const from = { sent: 500, bounced: 100, complained: 0 };
    expect(tripped({ sent: 999, bounced: 300, complained: 0 }, 2_000, from)).toBeUndefined();
    expect(tripped({ sent: 1_000, bounced: 149, complained: 0 }, 2_000, from)).toBeUndefined();
    expect(tripped({ sent: 1_000, bounced: 150, complained: 0 }, 2_000, from)).toMatch(/^50 of 500 /);
  });
});

it('reviews an audience over 10,000 and over ten times the largest earlier send', () => {
  expect([0, 500, 1_000, 1_001, 50_000].map(largestUnreviewed)).toEqual([10_000, 10_000, 10_000, 10_010, 500_000]);
});
