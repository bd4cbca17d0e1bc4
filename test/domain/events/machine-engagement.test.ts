import { describe, expect, it } from 'vitest';
import { bursts } from '../../../shared/domain/events/click-burst.ts';
import { machineReason } from '../../../shared/domain/events/machine-engagement.ts';
import { visitors } from '../../support/user-agents.ts';

const reader = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const delivery = Date.UTC(2026, 10, 20, 10);
const delivered = new Date(delivery).toISOString();
const engaged = (event: 'opened' | 'clicked', metadata: object = {}, secondsAfter = 10) => ({
  email: 'ann@example.com',
  event,
  campaign_id: 1,
  contact_id: null,
  provider: 'ses',
  source: 'provider',
  metadata: { user_agent: reader, ...metadata },
  occurred_at: new Date(delivery + secondsAfter * 1_000).toISOString(),
});

describe('the agent', () => {
  it.each(visitors.flatMap(({ kind, agents, ...verdict }) => agents.map((agent) => [agent, kind, verdict] as const)))(
    '%s is %s',
    (user_agent, _kind, verdict) => {
      const judge = (event: 'opened' | 'clicked') => machineReason(engaged(event, { user_agent }), delivered);
      expect({ opened: judge('opened'), clicked: judge('clicked') }).toEqual(verdict);
    },
  );

  it('is one of at least 120 that are tried, none of them twice', () => {
    const all = visitors.flatMap(({ agents }) => agents);
    expect(all.length).toBeGreaterThanOrEqual(120);
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([undefined, null, '', 7, {}])('%j is no verdict', (user_agent) => {
    for (const event of ['opened', 'clicked'] as const)
      expect(machineReason(engaged(event, { user_agent }), delivered)).toBeUndefined();
  });

  it('is judged in any case, ignoring surrounding spaces', () => {
    expect(machineReason(engaged('opened', { user_agent: ' Mozilla/5.0\n' }), delivered)).toBe('prefetch_agent');
    expect(machineReason(engaged('clicked', { user_agent: 'GO-HTTP-CLIENT/2.0' }), delivered)).toBe('scanner_agent');
  });
});

describe("the provider's mark", () => {
  it.each(['opened', 'clicked'] as const)('wins over every other reason when %s', (event) => {
    for (const metadata of [{}, { user_agent: 'curl/8.4.0' }, { method: 'HEAD' }])
      expect(machineReason(engaged(event, { bot: true, ...metadata }, 1), delivered)).toBe('provider');
  });

  it.each([false, 'true', 1, null])('must be true: %j is ignored', (bot) => {
    expect(machineReason(engaged('opened', { bot }), delivered)).toBeUndefined();
  });

  it.each(['delivered', 'bounced', 'unsubscribed', 'sent'] as const)('is ignored when %s', (event) => {
    expect(machineReason({ ...engaged('opened', { bot: true }, 1), event }, delivered)).toBeUndefined();
  });
});

describe('the request', () => {
  it('HEAD is not an open', () => {
    expect(machineReason(engaged('opened', { method: 'HEAD' }), delivered)).toBe('head_request');
    expect(machineReason(engaged('opened', { method: 'GET' }), delivered)).toBeUndefined();
  });
});

describe('the time since the delivery', () => {
  it.each([
    [0, 'within_2s_of_delivery'],
    [0.001, 'within_2s_of_delivery'],
    [1, 'within_2s_of_delivery'],
    [1.999, 'within_2s_of_delivery'],
    [2, undefined],
    [2.001, undefined],
    [30, undefined],
    [86_400 * 90, undefined],
    // Clocks differ, and events come in any order.
    [-0.001, undefined],
    [-60, undefined],
  ])('of %d seconds makes an open %s, and is no verdict on a click', (seconds, reason) => {
    expect(machineReason(engaged('opened', {}, seconds), delivered)).toBe(reason);
    expect(machineReason(engaged('clicked', {}, seconds), delivered)).toBeUndefined();
  });

  it('is no verdict when it is unknown', () => {
    expect(machineReason(engaged('opened', {}, 0), undefined)).toBeUndefined();
  });

  it('is the last reason: any other one wins', () => {
    const reasons = [{ user_agent: 'Mozilla/5.0' }, { method: 'HEAD' }, { user_agent: 'Twitterbot/1.0' }].map(
      (metadata) => machineReason(engaged('opened', metadata, 1), delivered),
    );
    expect(reasons).toEqual(['prefetch_agent', 'head_request', 'scanner_agent']);
  });
});

describe('the pace of clicks', () => {
  const caught = (...clicks: [seconds: number, link: string][]) => {
    const all = clicks.map(([seconds, link]) => ({ at: new Date(delivery + seconds * 1_000).toISOString(), link }));
    return bursts(all)
      .map((one) => all.indexOf(one))
      .sort();
  };

  it.each([
    [
      'a gateway that follows all links at once',
      [
        [0, 'a'],
        [0, 'b'],
        [0, 'c'],
        [0, 'd'],
      ],
      [0, 1, 2, 3],
    ],
    [
      'one that takes half a second each',
      [
        [0, 'a'],
        [0.5, 'b'],
        [1, 'c'],
        [1.5, 'd'],
        [2, 'e'],
      ],
      [0, 1, 2, 3, 4],
    ],
    [
      'one that takes a second each: any three lie within two',
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
        [3, 'd'],
      ],
      [0, 1, 2, 3],
    ],
    [
      'the two seconds to the last millisecond',
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
      ],
      [0, 1, 2],
    ],
    [
      'a millisecond more',
      [
        [0, 'a'],
        [1, 'b'],
        [2.001, 'c'],
      ],
      [],
    ],
    [
      'a person who opens two links in tabs',
      [
        [0, 'a'],
        [0.4, 'b'],
      ],
      [],
    ],
    [
      'a reader who opens one link repeatedly',
      [
        [0, 'a'],
        [0.3, 'a'],
        [0.6, 'a'],
        [0.9, 'a'],
      ],
      [],
    ],
    [
      'two links over and over',
      [
        [0, 'a'],
        [0.2, 'b'],
        [0.4, 'a'],
        [0.6, 'b'],
      ],
      [],
    ],
    [
      'a reader who takes a minute each',
      [
        [0, 'a'],
        [60, 'b'],
        [120, 'c'],
      ],
      [],
    ],
    [
      'a reader after a scan',
      [
        [0, 'a'],
        [0.1, 'b'],
        [0.2, 'c'],
        [40, 'a'],
      ],
      [0, 1, 2],
    ],
    [
      'a reader before a scan',
      [
        [0, 'a'],
        [10, 'a'],
        [10.1, 'b'],
        [10.2, 'c'],
      ],
      [1, 2, 3],
    ],
    [
      'a reader in the middle of a scan, who cannot be distinguished from it',
      [
        [0, 'a'],
        [1, 'a'],
        [1.5, 'b'],
        [2, 'c'],
      ],
      [0, 1, 2, 3],
    ],
    [
      'two scans',
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
        [60, 'a'],
        [61, 'b'],
        [62, 'c'],
      ],
      [0, 1, 2, 3, 4, 5],
    ],
    [
      'what comes out of order',
      [
        [2, 'c'],
        [0, 'a'],
        [1, 'b'],
      ],
      [0, 1, 2],
    ],
  ] as [string, [number, string][], number[]][])('%s', (_what, clicks, expected) => {
    expect(caught(...clicks)).toEqual(expected);
  });
});
