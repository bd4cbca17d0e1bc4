import { expect, it } from 'vitest';
import { machineReason } from '../../shared/domain/machine-engagement.ts';

const safari = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const engaged = (
  event: 'opened' | 'clicked',
  metadata: object = {},
  occurred_at = '2026-11-20T10:00:10.000+00:00',
) => ({
  email: 'ann@example.com',
  event,
  campaign_id: 1,
  contact_id: null,
  provider: 'ses',
  source: 'provider',
  metadata: { user_agent: safari, ...metadata },
  occurred_at,
});
const delivered = '2026-11-20T10:00:00.000+00:00';

it.each(['opened', 'clicked'] as const)("takes %s in a person's reader for a person's", (event) => {
  expect(machineReason(engaged(event), delivered)).toBeUndefined();
  expect(machineReason(engaged(event), undefined)).toBeUndefined();
  expect(machineReason(engaged(event, { user_agent: undefined }), undefined)).toBeUndefined();
});

it.each([
  [{ bot: true }, 'provider'],
  [
    { user_agent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)' },
    'prefetch_agent',
  ],
  [{ user_agent: 'Mozilla/5.0' }, 'prefetch_agent'],
  [{ user_agent: 'YahooMailProxy; https://help.yahoo.com' }, 'prefetch_agent'],
  [{ method: 'HEAD' }, 'head_request'],
  [{ user_agent: 'Barracuda Sentinel' }, 'scanner_agent'],
  [{ user_agent: 'SomeBot/2.1' }, 'scanner_agent'],
])('takes an open with %j for a machine: %s', (metadata, reason) => {
  expect(machineReason(engaged('opened', metadata), delivered)).toBe(reason);
});

it.each([
  [{ bot: true }, 'provider'],
  [{ user_agent: 'Mimecast' }, 'scanner_agent'],
  [{ user_agent: 'python-requests/2.31' }, 'scanner_agent'],
])('takes a click with %j for a machine: %s', (metadata, reason) => {
  expect(machineReason(engaged('clicked', metadata), delivered)).toBe(reason);
});

it.each([
  ['2026-11-20T10:00:00.000+00:00', 'within_2s_of_delivery'],
  ['2026-11-20T10:00:01.999+00:00', 'within_2s_of_delivery'],
  ['2026-11-20T10:00:02.000+00:00', undefined],
])('judges an open at %s, delivered at 10:00:00, as %s', (at, reason) => {
  expect(machineReason(engaged('opened', {}, at), delivered)).toBe(reason);
  expect(machineReason(engaged('clicked', {}, at), delivered)).toBeUndefined();
});

it('judges opens and clicks only', () => {
  expect(machineReason({ ...engaged('opened', { bot: true }), event: 'delivered' }, delivered)).toBeUndefined();
});
