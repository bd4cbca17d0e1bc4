import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { verifyWebhook } from '../../client/src/index.ts';

const secret = 'whsec_c2VjcmV0';
const body = JSON.stringify({
  id: 'evt_1',
  type: 'webhook.test',
  created_at: '2026-11-20T10:00:00.000+00:00',
  data: {},
});
const seconds = 1_800_000_000;
const now = new Date(seconds * 1000);

const hmac = (key: string, text = body, at = seconds) =>
  createHmac('sha256', key).update(`${at}.${text}`).digest('hex');
const header = (...keys: string[]) => [`t=${seconds}`, ...keys.map((key) => `v1=${hmac(key)}`)].join(',');

it('returns the event of a delivery with a valid signature, from text and from bytes', async () => {
  const signature = header(secret);
  expect(await verifyWebhook({ body, signature, secret, now })).toEqual(JSON.parse(body));
  const bytes = new TextEncoder().encode(body);
  expect(await verifyWebhook({ body: bytes, signature, secret, now })).toEqual(JSON.parse(body));
});

it('accepts any of several signatures and secrets, as after a rotation', async () => {
  for (const signature of [header('new', secret), header(secret, 'new'), `v2=x,${header('other', secret)}`])
    expect(await verifyWebhook({ body, signature, secret, now })).toMatchObject({ id: 'evt_1' });
  expect(await verifyWebhook({ body, signature: header('old'), secret: ['new', 'old'], now })).toMatchObject({});
});

it.each([
  ['another body', { body: `${body} ` }],
  ['another secret', { secret: 'whsec_other' }],
  ['no secret that fits', { secret: [] }],
  ['another time', { signature: header(secret).replace(/t=\d+/, `t=${seconds + 1}`) }],
  ['an old time', { now: new Date((seconds + 301) * 1000) }],
  ['a future time', { now: new Date((seconds - 301) * 1000) }],
  ['no header', { signature: null }],
  ['an empty header', { signature: '' }],
  ['no signature', { signature: `t=${seconds}` }],
  ['no time', { signature: `v1=${hmac(secret)}` }],
  ['a short signature', { signature: `t=${seconds},v1=${hmac(secret).slice(0, 62)}` }],
  ['a signature that is not hexadecimal', { signature: `t=${seconds},v1=${'x'.repeat(64)}` }],
])('refuses %s', async (_what, changed) => {
  const delivery = { body, signature: header(secret), secret, now, ...changed };
  await expect(verifyWebhook(delivery)).rejects.toMatchObject({ name: 'WebhookVerificationError' });
});

it('accepts a signature as old as the given tolerance', async () => {
  const later = new Date((seconds + 3_600) * 1000);
  const delivery = { body, signature: header(secret), secret, now: later };
  expect(await verifyWebhook({ ...delivery, tolerance: 3_600 })).toMatchObject({ id: 'evt_1' });
  await expect(verifyWebhook({ ...delivery, tolerance: 3_599 })).rejects.toThrow('3599 seconds');
});
