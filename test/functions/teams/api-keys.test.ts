import { beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../../shared/domain/teams/scopes.ts';
import { keyWith, newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

describe('POST /api-keys', () => {
  it('shows the secret once, and the new key works with just its scopes', async () => {
    const { body } = await team.api('POST', '/api-keys', { name: 'Sync', scopes: ['contacts:read', 'contacts:read'] });
    expect(body.data).toEqual({
      id: expect.any(Number),
      name: 'Sync',
      masked_key: expect.stringMatching(/^mw_live_.{4}…$/),
      scopes: ['contacts:read'],
      allowed_ips: null,
      last_used_at: null,
      last_used_ip: null,
      expires_at: null,
      revoked_at: null,
      key: expect.stringMatching(/^mw_live_[0-9A-Za-z]{36}$/),
    });
    const minted = team.withKey(body.data.key);
    expect((await minted.api('GET', '/contacts')).status).toBe(200);
    expect((await minted.api('POST', '/lists', { name: 'No' })).body.code).toBe('missing_scope');
    const [listed] = (await team.api('GET', '/api-keys')).body.data;
    const { key: _secret, ...shown } = body.data;
    expect(listed).toEqual({ ...shown, last_used_at: expect.any(String), last_used_ip: '127.0.0.1' });
  });

  it('defaults to every scope the minting key holds and gives away no more', async () => {
    const limited = await keyWith(team, ['contacts:write', 'events:read']);
    expect((await limited.api('POST', '/api-keys', { name: 'Same' })).body.data.scopes).toEqual([
      'contacts:write',
      'events:read',
    ]);
    expect((await limited.api('POST', '/api-keys', { name: 'Implied', scopes: ['contacts:read'] })).status).toBe(200);
    const refused = await limited.api('POST', '/api-keys', { name: 'More', scopes: ['campaigns:send'] });
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
    const legacy = await keyWith(team, undefined);
    expect((await legacy.api('POST', '/api-keys', { name: 'All' })).body.data.scopes).toEqual(scopes);
  });

  it('keeps an expiry in the future and refuses one in the past', async () => {
    const kept = await team.api('POST', '/api-keys', { name: 'Year', expires_at: '2099-01-01T12:00:00+02:00' });
    expect(kept.body.data.expires_at).toBe('2099-01-01T10:00:00.000+00:00');
    for (const [body, field] of [
      [{ name: 'Past', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [{ name: 'Odd', expires_at: 'soon' }, 'expires_at'],
      [{ name: 'Odd', scopes: ['everything'] }, 'scopes.0'],
      [{ name: 'Odd', scopes: Array(101).fill('contacts:read') }, 'scopes'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{}, 'name'],
    ] as const) {
      const answer = await team.api('POST', '/api-keys', body);
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
    }
  });

  it('repeats the same secret on a replay', async () => {
    const mint = () => team.api('POST', '/api-keys', { name: 'Once' }, { 'idempotency-key': 'mint-once' });
    const [first, second] = [await mint(), await mint()];
    expect(second.body).toEqual(first.body);
  });
});

describe('DELETE /api-keys/{key}', () => {
  it('revokes, idempotently, and keeps the record', async () => {
    const { id, key } = (await team.api('POST', '/api-keys', { name: 'Leaves' })).body.data;
    for (let again = 0; again < 2; again++) {
      const answer = await team.api('DELETE', `/api-keys/${id}`);
      expect([answer.status, answer.body]).toEqual([200, { data: { status: 'revoked' } }]);
    }
    expect((await team.withKey(key).api('GET', '/me')).status).toBe(401);
    const listed = (await team.api('GET', '/api-keys')).body.data.find((row: { id: number }) => row.id === id);
    expect(listed.revoked_at).toEqual(expect.any(String));
  });
});

it('GET /api-keys/scopes lists every scope with its description', async () => {
  const { body } = await team.api('GET', '/api-keys/scopes');
  expect(body.data.map((row: { scope: string }) => row.scope)).toEqual(scopes);
  expect(body.data[0].description).toEqual(expect.any(String));
});
