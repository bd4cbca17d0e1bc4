import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteEmailIdentityCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { awsOf, type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import * as support from '../../support/team.ts';

type Team = support.Team;

const data = mkdtempSync(join(tmpdir(), 'mailwright-claims-'));
const day = 86_400;

let stack: Stack;
let team: Team;
let other: Team;
let ses: SESv2Client;
beforeAll(async () => {
  stack = await startStack({ data });
  // SES takes one call of each kind a second.
  ses = new SESv2Client({ ...awsOf(data), maxAttempts: 20 });
  [team, other] = [await newTeam(), await newTeam()];
});
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const newTeam = () => support.newTeam({ origin: stack.origin });
const control = (method: string, path: string, body?: object) => support.control(method, path, body, stack.origin);
const forward = async (seconds: number) => {
  await control('POST', '/clock', { advance_seconds: seconds });
  await idle(stack.origin);
};
const named = (name: string) => `${name}-${team.id}.example`;
const publish = (name: string, ...txt: string[]) => control('POST', '/dns', { name, txt });
/** Verifies a domain at SES; one that is not there yet is made as by somebody else in the account. */
const identity = (domain: string, tags?: object) => control('POST', '/identities', { domain, tags });
const atSes = (EmailIdentity: string) => ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
const add = (by: Team, domain: string, fields: object = {}) =>
  by.api('POST', '/sending-domains', { domain, ...fields });
const refused = [422, 'not_applicable'];
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const message = (domain: string) => ({
  from_email: `a@${domain}`,
  to: 'b@c.example',
  subject: 'Hi',
  html: '<p>Hi</p>',
});
/** Sends from a domain; until it is verified, each call asks SES and DNS. */
const send = async (by: Team, domain: string) => {
  const { status, body } = await by.api('POST', '/send', message(domain));
  return status === 200 ? 'sent' : body.code;
};
const unverified = 'sending_domain_unverified';
type DnsRecord = { type: string; name: string; value: string; purpose: string };
const recordsFor = (records: DnsRecord[], purpose: string) => records.filter((record) => record.purpose === purpose);

/** Adds a domain that becomes the team's and that SES has verified. */
async function own(by: Team, domain: string): Promise<void> {
  expect((await add(by, domain)).status).toBe(200);
  await identity(domain);
  expect(await send(by, domain)).toBe('sent');
}

describe('a claim', () => {
  it('is refused above and below a domain of another team, and allowed around the team’s own', async () => {
    const domain = `shop.${named('tree')}`;
    await own(team, domain);
    for (const around of [named('tree'), `news.${domain}`, `a.b.${domain}`]) {
      expect(outcome(await add(other, around)), around).toEqual(refused);
      expect((await other.api('GET', `/sending-domains/${around}`)).status).toBe(404);
      expect((await add(team, around)).status, around).toBe(200);
    }
    expect((await add(other, `x${domain}`)).status).toBe(200);
  });

  it('that is only made keeps nobody off above and below, and ends when another team has one there', async () => {
    const domain = named('early');
    await add(other, domain);
    await own(team, `shop.${domain}`);
    await identity(domain);
    expect(await send(other, domain)).toBe(unverified);
    expect((await other.data('GET', `/sending-domains/${domain}`)).status).toBe('pending');
  });

  it('is refused beyond 50 domains a team', async () => {
    const many = await newTeam();
    const rows = Array.from({ length: 49 }, (_, index) => ({
      pk: `TEAM#${many.id}#DOMAIN`,
      sk: `d${index}-${many.id}.example`,
      domain: `d${index}-${many.id}.example`,
      status: 'pending',
      created_at: new Date().toISOString(),
    }));
    await (await rawTable(data)).write(rows);
    const domain = named('many');
    expect(outcome(await add(many, domain))).toEqual(refused);
    expect((await many.api('GET', `/sending-domains/${domain}`)).status).toBe(404);
    expect((await add(many, many.domain)).status).toBe(200);
  });
});

describe('an identity that somebody else has made in the account', () => {
  it.each([
    ['without tags', undefined],
    ['of another stage', { 'mailwright:stage': 'prod' }],
  ])('%s is neither taken nor removed', async (_, tags) => {
    const domain = named(tags ? 'staged' : 'foreign');
    await identity(domain, tags);
    const before = await atSes(domain);
    const { status, body } = await add(team, domain);
    expect([status, body.code]).toEqual(refused);
    expect(body.message).toContain('in this AWS account');
    expect((await team.api('GET', `/sending-domains/${domain}`)).status).toBe(404);
    expect((await team.api('DELETE', `/sending-domains/${domain}`)).status).toBe(404);
    expect({ ...(await atSes(domain)), $metadata: undefined }).toEqual({ ...before, $metadata: undefined });
  });

  it('that took the place of the team’s own stays when the team removes its domain', async () => {
    const domain = named('replaced');
    await own(team, domain);
    await ses.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));
    await identity(domain);
    expect(outcome(await add(team, domain))).toEqual(refused);
    expect((await team.api('DELETE', `/sending-domains/${domain}`)).status).toBe(200);
    expect((await atSes(domain)).VerifiedForSendingStatus).toBe(true);
  });
});

it('a domain has the tags of its stage and team at SES, and is gone there once removed', async () => {
  const domain = named('tagged');
  await add(team, domain);
  const { Tags, FeedbackForwardingStatus } = await atSes(domain);
  expect(Object.fromEntries(Tags!.map(({ Key, Value }) => [Key, Value]))).toEqual({
    'mailwright:stage': 'dev',
    'mailwright:team': String(team.id),
  });
  expect(FeedbackForwardingStatus).toBe(false);
  await team.data('DELETE', `/sending-domains/${domain}`);
  await expect(atSes(domain)).rejects.toMatchObject({ name: 'NotFoundException' });
});

it('a domain that an earlier version stored, untagged and without a TXT record, goes on working', async () => {
  const domain = named('stored');
  await identity(domain);
  const item = { domain, status: 'verified', created_at: '2026-01-01T00:00:00.000+00:00' };
  await (await rawTable(data)).write([
    { pk: 'PLATFORM#DOMAIN', sk: domain, team_id: team.id },
    { pk: `TEAM#${team.id}#DOMAIN`, sk: domain, ...item },
  ]);
  expect(outcome(await add(other, domain))).toEqual(refused);
  expect(outcome(await add(other, `below.${domain}`))).toEqual(refused);
  const shown = await team.data('GET', `/sending-domains/${domain}`);
  expect(shown).toMatchObject({ status: 'verified' });
  expect(shown.records.map(({ purpose }: DnsRecord) => purpose)).not.toContain('ownership');
  expect(await send(team, domain)).toBe('sent');
  const { status, body } = await add(team, domain);
  expect([status, body.data.status]).toEqual([200, 'verified']);
  expect((await team.api('DELETE', `/sending-domains/${domain}`)).status).toBe(200);
  expect(await send(team, domain)).toBe(unverified);
  // Nothing shows that this stage has made it.
  expect((await atSes(domain)).VerifiedForSendingStatus).toBe(true);
});

describe('the DNS records', () => {
  it('have the MAIL FROM subdomain that the team chose, until it chooses another', async () => {
    const domain = named('mailfrom');
    const names = async (fields: object) => {
      const { body } = await add(team, domain, fields);
      return recordsFor(body.data.records, 'mail_from').map(({ name }) => name);
    };
    expect(await names({ mail_from_subdomain: ' Bounces ' })).toEqual([`bounces.${domain}`, `bounces.${domain}`]);
    expect((await atSes(domain)).MailFromAttributes?.MailFromDomain).toBe(`bounces.${domain}`);
    expect(await names({})).toEqual([`bounces.${domain}`, `bounces.${domain}`]);
    expect(await names({ mail_from_subdomain: null })).toEqual([`mail.${domain}`, `mail.${domain}`]);
    const wrong = await add(team, domain, { mail_from_subdomain: 'a.b' });
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['mail_from_subdomain']]);
  });

  it.each([
    ['the domain', (domain: string) => domain],
    ['a domain above', (domain: string) => domain.split('.').slice(1).join('.')],
  ])('ask for no DMARC policy where %s has one', async (_, holder) => {
    const domain = `news.${named(`dmarc-${holder('x.y').length}`)}`;
    const dmarc = async () => {
      const { body } = await add(team, domain);
      return recordsFor(body.data.records, 'dmarc').map(({ name, value }) => `${name} ${value}`);
    };
    expect(await dmarc()).toEqual([`_dmarc.${domain} v=DMARC1; p=none;`]);
    await publish(`_dmarc.${holder(domain)}`, 'v=DMARC1; p=reject');
    expect(await dmarc()).toEqual([]);
    await own(team, domain);
    expect(await dmarc()).toEqual([]);
  });
});

it('bounces and complaints are not mailed to the sender', async () => {
  const from = `sender@${team.domain}`;
  for (const kind of ['bounce', 'complaint']) {
    const message = { from_email: from, to: `${kind}@simulator.amazonses.com`, subject: 'Hi', html: '<p>Hi</p>' };
    expect((await team.api('POST', '/send', message)).body.data).toMatchObject({ delivered: true });
  }
  expect((await control('GET', `/messages?to=${from}`)).body.data).toEqual([]);
});

it('the DKIM records name the zone of the region', async () => {
  await control('POST', '/ses', { signing_zone: 'dkim.eu-central-2.amazonses.com' });
  const { records } = await team.data('POST', '/sending-domains', { domain: 'zone.example' });
  const dkim = records.filter(({ purpose }: { purpose: string }) => purpose === 'dkim');
  expect(dkim).toHaveLength(3);
  for (const { name, value } of dkim)
    expect(value).toBe(name.replace('_domainkey.zone.example', 'dkim.eu-central-2.amazonses.com'));
});

it('a claim without its TXT record ends after seven days, also at SES; the team’s own domain stays', async () => {
  await team.data('POST', '/sending-domains', { domain: 'slow.example' });
  expect(outcome(await add(other, 'slow.example'))).toEqual(refused);
  const table = await rawTable(data);
  const rows = await table.naming('slow.example');
  const item = rows.find(({ pk }) => pk === `TEAM#${team.id}#DOMAIN`)!;
  const job = rows.find(({ pk }) => pk.startsWith('DUE#'))!;
  expect(Math.round((Date.parse(String(item.claim_until)) - Date.parse(String(item.created_at))) / 1000)).toBe(7 * day);
  expect([job.at, job.sk.split('#')[0]]).toEqual([item.claim_until, item.claim_until]);
  // The end comes in a minute: the jobs of each minute of a week would run before it.
  const { now } = (await control('GET', '/clock')).body;
  const soon = new Date(Date.parse(now) + 60_000).toISOString().replace('Z', '+00:00');
  await table.write([
    { ...job, sk: job.sk.replace(/^[^#]+/, soon), at: soon },
    { ...item, claim_until: soon },
  ]);
  await forward(180);
  expect((await team.api('GET', '/sending-domains/slow.example')).status).toBe(404);
  await expect(atSes('slow.example')).rejects.toMatchObject({ name: 'NotFoundException' });
  expect((await team.data('GET', `/sending-domains/${team.domain}`)).status).toBe('verified');
  expect((await add(other, 'slow.example')).status).toBe(200);
});
