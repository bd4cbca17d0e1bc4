import { DeleteEmailIdentityCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { awsOf } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

let team: Team;
let other: Team;
let ses: SESv2Client;
beforeAll(async () => {
  [team, other] = await Promise.all([newTeam(), newTeam()]);
  // SES takes one call of each kind a second.
  ses = new SESv2Client({ ...awsOf(inject('folder')), maxAttempts: 20 });
});

const named = (name: string) => `${name}-${team.id}.example`;
const publish = (name: string, ...txt: string[]) => control('POST', '/dns', { name, txt });
/** Verifies a domain at SES; one that is not there yet is made as by somebody else in the account. */
const identity = (domain: string, tags?: object) => control('POST', '/identities', { domain, tags });
const atSes = (EmailIdentity: string) => ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
const add = (by: Team, domain: string, fields: object = {}) =>
  by.api('POST', '/sending-domains', { domain, ...fields });
const refused = [422, 'not_applicable'];
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const statusOf = async (of: Team, domain: string) => (await of.data('GET', `/sending-domains/${domain}`)).status;
type DnsRecord = { type: string; name: string; value: string; purpose: string };
const recordsFor = (records: DnsRecord[], purpose: string) => records.filter((record) => record.purpose === purpose);

/** Adds a domain that becomes the team's and that SES has verified. */
async function own(by: Team, domain: string): Promise<void> {
  expect((await add(by, domain)).status).toBe(200);
  await identity(domain);
  expect(await statusOf(by, domain)).toBe('verified');
}

describe('a claim', () => {
  it('makes the domain the team’s by a TXT record of the team, and by nothing else', async () => {
    const domain = named('claimed');
    const { body } = await add(team, domain);
    const [ownership] = recordsFor(body.data.records, 'ownership');
    expect(ownership).toMatchObject({
      type: 'TXT',
      name: `_mailwright.${domain}`,
      value: expect.stringMatching(/^mailwright-team=[0-9a-f]{32}$/),
    });
    await identity(domain);
    await publish(ownership!.name);
    expect((await atSes(domain)).VerifiedForSendingStatus).toBe(true);
    expect(await statusOf(team, domain)).toBe('pending');
    const message = { from_email: `a@${domain}`, to: 'b@claims.example', subject: 'Hi', html: '<p>Hi</p>' };
    expect((await team.api('POST', '/send', message)).body.code).toBe('sending_domain_unverified');
    await publish(ownership!.name, 'v=spf1 -all', `${ownership!.value}0`);
    expect(await statusOf(team, domain)).toBe('pending');
    await publish(ownership!.name, 'v=spf1 -all', ownership!.value);
    expect(await statusOf(team, domain)).toBe('verified');
    expect((await team.api('POST', '/send', message)).status).toBe(200);
    await publish(ownership!.name);
    expect(await statusOf(team, domain)).toBe('verified');
  });

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
    expect(await statusOf(other, domain)).toBe('pending');
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
    await (await rawTable(inject('folder'))).write(rows);
    const domain = named('many');
    expect(outcome(await add(many, domain))).toEqual(refused);
    expect((await many.api('GET', `/sending-domains/${domain}`)).status).toBe(404);
    expect((await add(many, many.domain)).status).toBe(200);
  });
});

describe('an identity that somebody else has made in the account', () => {
  it.each([
    ['without tags', undefined],
    ['of another stage', { 'mailwright:stage': 'prod', 'mailwright:team': '1' }],
  ])('%s is neither taken nor removed', async (_, tags) => {
    const domain = named(tags ? 'staged' : 'foreign');
    await identity(domain, tags && { 'mailwright:stage': 'prod' });
    const before = await atSes(domain);
    const { status, body } = await add(team, domain);
    expect([status, body.code]).toEqual(refused);
    expect(body.message).toContain('in this AWS account');
    expect((await team.api('GET', `/sending-domains/${domain}`)).status).toBe(404);
    expect((await team.api('DELETE', `/sending-domains/${domain}`)).status).toBe(404);
    const { $metadata: _now, ...after } = await atSes(domain);
    expect(after).toEqual({ ...before, $metadata: undefined, ...after });
    expect(after).toMatchObject({ Tags: before.Tags, MailFromAttributes: before.MailFromAttributes });
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
  await (await rawTable(inject('folder'))).write([
    { pk: 'PLATFORM#DOMAIN', sk: domain, team_id: team.id },
    { pk: `TEAM#${team.id}#DOMAIN`, sk: domain, ...item },
  ]);
  expect(outcome(await add(other, domain))).toEqual(refused);
  expect(outcome(await add(other, `below.${domain}`))).toEqual(refused);
  const shown = await team.data('GET', `/sending-domains/${domain}`);
  expect(shown).toMatchObject({ status: 'verified' });
  expect(shown.records.map(({ purpose }: DnsRecord) => purpose)).not.toContain('ownership');
  const message = { from_email: `a@${domain}`, to: 'b@claims.example', subject: 'Hi', html: '<p>Hi</p>' };
  expect((await team.api('POST', '/send', message)).body.data).toMatchObject({ delivered: true });
  const { status, body } = await add(team, domain);
  expect([status, body.data.status]).toEqual([200, 'verified']);
  expect((await team.api('DELETE', `/sending-domains/${domain}`)).status).toBe(200);
  expect((await team.api('POST', '/send', message)).body.code).toBe('sending_domain_unverified');
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
