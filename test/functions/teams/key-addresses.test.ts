import { request } from 'node:http';
import { describe, expect, inject, it } from 'vitest';
import { newTeam, type Team } from '../../support/team.ts';

const loopback = '127.0.0.0/8';
const elsewhere = '192.0.2.0/24';

const mint = (by: Team, allowed_ips: unknown) => by.api('POST', '/api-keys', { name: 'Bound', allowed_ips });

/** Calls from an address of this machine. */
const callFrom = (localAddress: string, key: Team): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key.apiKey}` };
    const sent = request(`${inject('origin')}/v1/me`, { localAddress, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    sent.on('error', reject).end();
  });

describe('allowed_ips', () => {
  it('are kept as given, in creation and listing', async () => {
    const team = await newTeam();
    const ranges = ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32', '2001:db8:1::7'];
    expect((await mint(team, [...ranges, ranges[0]])).body.data.allowed_ips).toEqual(ranges);
    expect((await mint(team, null)).body.data.allowed_ips).toBe(null);
    const listed = (await team.data('GET', '/api-keys')) as { allowed_ips: string[] | null }[];
    expect(listed.map(({ allowed_ips }) => allowed_ips)).toEqual([null, ranges, null]);
  });

  it.each([
    ['no ranges', [], 'allowed_ips'],
    ['text', '192.0.2.0/24', 'allowed_ips'],
    ['too many', Array.from({ length: 51 }, (_, at) => `192.0.2.${at}`), 'allowed_ips'],
    ['a name', ['192.0.2.0/24', 'example.com'], 'allowed_ips.1'],
    ['a prefix that is too long', ['192.0.2.0/33'], 'allowed_ips.0'],
    ['an address in disguise', ['0300.0.2.1'], 'allowed_ips.0'],
  ])('refuse %s', async (_what, given, field) => {
    const { status, body } = await mint(await newTeam(), given);
    expect([status, body.code, Object.keys(body.errors)]).toEqual([422, 'validation_error', [field]]);
  });

  it('refuse a request from elsewhere, whatever its headers say', async () => {
    const team = await newTeam();
    const [here, there] = await Promise.all(
      [loopback, elsewhere].map(async (range) => team.withKey((await mint(team, [range])).body.data.key)),
    );
    expect((await here!.api('GET', '/me')).status).toBe(200);
    const headers = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1', forwarded: 'for=192.0.2.1' };
    const { status, body } = await there!.api('GET', '/me', undefined, headers);
    expect([status, body.code, body.message]).toEqual([
      403,
      'address_not_allowed',
      expect.stringContaining('127.0.0.1'),
    ]);
    const rows = (await team.data('GET', '/api-keys')) as { last_used_ip: string | null }[];
    expect(rows.filter(({ last_used_ip }) => last_used_ip === null)).toHaveLength(1);
  });

  it('do not let a request from elsewhere use up the requests of the key', async () => {
    const team = await newTeam();
    const { key } = (await mint(team, ['127.0.0.2'])).body.data;
    const bound = team.withKey(key);
    for (let count = 0; count < 5; count++) expect((await bound.api('GET', '/me')).status).toBe(403);
    const remaining = await new Promise((resolve, reject) => {
      const options = { localAddress: '127.0.0.2', headers: { authorization: `Bearer ${key}` } };
      request(`${inject('origin')}/v1/me`, options, ({ headers }) => resolve(headers['x-ratelimit-remaining']))
        .on('error', reject)
        .end();
    });
    expect(remaining).toBe('5999');
  });

  it('bind what a bound key mints, too', async () => {
    const team = await newTeam();
    const bound = team.withKey((await mint(team, [loopback])).body.data.key);
    expect((await mint(bound, undefined)).body.data.allowed_ips).toEqual([loopback]);
    expect((await mint(bound, ['127.1.0.0/16', '127.0.0.1'])).status).toBe(200);
    for (const [at, range] of ['0.0.0.0/0', elsewhere, '::/0'].entries()) {
      const ranges = [...Array.from({ length: at }, (_, index) => `127.0.0.${index}`), range];
      const { body } = await mint(bound, ranges);
      expect([body.code, Object.keys(body.errors)]).toEqual(['validation_error', [`allowed_ips.${at}`]]);
    }
  });
});

it('a key shows from which address it was last used', async () => {
  const team = await newTeam();
  const { id, key } = (await mint(team, undefined)).body.data;
  const before = Date.now();
  expect(await callFrom('127.0.0.3', team.withKey(key))).toBe(200);
  const row = (await team.data('GET', '/api-keys')).find((one: { id: number }) => one.id === id);
  expect(row.last_used_ip).toBe('127.0.0.3');
  expect(Date.parse(row.last_used_at)).toBeGreaterThanOrEqual(before - 1_000);
});
