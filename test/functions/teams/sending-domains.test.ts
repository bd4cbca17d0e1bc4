import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bothWays } from '../../support/paging.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});
const named = (name: string) => `${name}-${team.id}.example`;

describe('/sending-domains while SES answers nothing', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  it('shows the last status from SES', async () => {
    const own = await newTeam({ origin: stack.origin });
    for (const letter of ['a', 'b', 'c'])
      await own.data('POST', '/sending-domains', { domain: `${letter}-busy.example` });
    const paths = ['/sending-domains', '/sending-domains/a-busy.example', `/sending-domains/${own.domain}`];
    const read = () => Promise.all(paths.map((path) => own.data('GET', path)));
    const before = await read();
    const fault = { service: 'ses', operation: 'GetEmailIdentity', error: 'TooManyRequestsException' };
    await control('POST', '/faults', fault, stack.origin);
    expect(await read()).toEqual(before);
    expect(before[1].records).toHaveLength(7);
  });
});

describe('/sending-domains', () => {
  it('shows the records to publish, and is pending until SES has found them', async () => {
    const domain = named('shop');
    const { status, body } = await team.api('POST', '/sending-domains', { domain: ` ${domain.toUpperCase()}. ` });
    expect(status).toBe(200);
    const { records, ...rest } = body.data;
    expect(rest).toEqual({ domain, status: 'pending', created_at: expect.any(String), verified_at: null });
    expect(records.map(({ type, purpose }: { type: string; purpose: string }) => `${type} ${purpose}`)).toEqual([
      'CNAME dkim',
      'CNAME dkim',
      'CNAME dkim',
      'MX mail_from',
      'TXT mail_from',
      'TXT dmarc',
      'TXT ownership',
    ]);
    expect(records[0]).toMatchObject({
      name: expect.stringMatching(new RegExp(`^\\w+\\._domainkey\\.${domain}$`)),
      value: expect.stringMatching(/^\w+\.dkim\.amazonses\.com$/),
    });
    expect(records[3]).toMatchObject({
      name: `mail.${domain}`,
      value: expect.stringMatching(/^feedback-smtp\.[a-z0-9-]+\.amazonses\.com$/),
      priority: 10,
    });
    expect((await team.api('POST', '/sending-domains', { domain })).body.data).toEqual(body.data);
    expect((await team.api('GET', `/sending-domains/${domain}`)).body.data).toEqual(body.data);
  });

  it('is verified, with the time, once SES has verified it', async () => {
    const { body } = await team.api('GET', `/sending-domains/${team.domain}`);
    expect(body.data).toMatchObject({ status: 'verified', verified_at: expect.any(String) });
  });

  it('belongs to one team only: another cannot add, see or remove it', async () => {
    const other = await newTeam();
    const domain = named('taken');
    await team.api('POST', '/sending-domains', { domain });
    const taken = await other.api('POST', '/sending-domains', { domain });
    expect([taken.status, taken.body.code]).toEqual([422, 'not_applicable']);
    expect((await other.api('GET', `/sending-domains/${domain}`)).status).toBe(404);
    expect((await other.api('DELETE', `/sending-domains/${domain}`)).status).toBe(404);
    expect((await team.api('GET', `/sending-domains/${domain}`)).status).toBe(200);
  });

  it('is gone once removed, blocks campaigns, and may be added by another team', async () => {
    const other = await newTeam();
    const { body } = await other.api('POST', '/campaigns', { name: 'C', from_email: `me@${other.domain}` });
    const blockers = async () =>
      (await other.api('POST', `/campaigns/${body.data.id}/preflight`)).body.data.blockers as string[];
    expect(await blockers()).not.toContain('sending_domain_unverified');
    const removed = await other.api('DELETE', `/sending-domains/${other.domain}`);
    expect(removed.body.data).toEqual({ domain: other.domain, deleted: true });
    expect(await blockers()).toContain('sending_domain_unverified');
    expect((await other.api('GET', `/sending-domains/${other.domain}`)).status).toBe(404);
    expect((await other.api('DELETE', `/sending-domains/${other.domain}`)).status).toBe(404);
    const added = await team.api('POST', '/sending-domains', { domain: other.domain });
    expect([added.status, added.body.data.status]).toEqual([200, 'pending']);
  });

  it('is not verified, and blocks campaigns, right after it was removed and added again', async () => {
    const own = await newTeam();
    const { body } = await own.api('POST', '/campaigns', { name: 'C', from_email: `me@${own.domain}` });
    const blockers = async () =>
      (await own.api('POST', `/campaigns/${body.data.id}/preflight`)).body.data.blockers as string[];
    expect(await blockers()).not.toContain('sending_domain_unverified');
    await own.api('DELETE', `/sending-domains/${own.domain}`);
    await own.api('POST', '/sending-domains', { domain: own.domain });
    expect(await blockers()).toContain('sending_domain_unverified');
  });

  it('lists the domains by name, forwards and backwards', async () => {
    const own = await newTeam();
    const names = ['a', 'b', 'c', 'd'].map((letter) => `${letter}-${own.id}.example`);
    for (const domain of [...names].reverse()) await own.api('POST', '/sending-domains', { domain });
    const expected = [...names, own.domain].sort();
    const found = await bothWays(own, '/sending-domains', 2);
    expect(found.map(({ domain }) => domain)).toEqual(expected);
  });

  it.each(['nodots', 'has space.example', '-bad.example', 'münchen.example', '10.0.0.1', ''])(
    'refuses %j as a domain name',
    async (domain) => {
      const { status, body } = await team.api('POST', '/sending-domains', { domain });
      expect([status, body.code, Object.keys(body.errors)]).toEqual([422, 'validation_error', ['domain']]);
    },
  );
});
