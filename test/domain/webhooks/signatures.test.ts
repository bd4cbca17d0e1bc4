import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { signatureOf } from '../../../shared/domain/webhooks/signatures.ts';

const body = '{"id":"evt_1","data":{"name":"Åsa"}}';

it('is the hex HMAC-SHA256 of the time, a dot and the body, keyed with the whole secret', () => {
  const expected = createHmac('sha256', 'whsec_c2VjcmV0').update(`1700000000.${body}`, 'utf8').digest('hex');
  expect(signatureOf(['whsec_c2VjcmV0'], body, 1_700_000_000)).toBe(`t=1700000000,v1=${expected}`);
});

it('is verified by Web Crypto', async () => {
  const [, v1] = signatureOf(['whsec_c2VjcmV0'], body, 1_700_000_000).split(',v1=');
  const bytes = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes('whsec_c2VjcmV0'), algorithm, false, ['verify']);
  const verify = (text: string) => crypto.subtle.verify('HMAC', key, Buffer.from(v1!, 'hex'), bytes(text));
  expect([await verify(`1700000000.${body}`), await verify(`1700000001.${body}`)]).toEqual([true, false]);
});

it('has one value for each secret, in their order', () => {
  const [moment, first, second] = signatureOf(['new', 'old'], body, 5).split(',');
  expect(moment).toBe('t=5');
  expect([`t=5,${first}`, `t=5,${second}`]).toEqual([signatureOf(['new'], body, 5), signatureOf(['old'], body, 5)]);
});
