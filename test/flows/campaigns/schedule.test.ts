import { DeleteEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { describe, expect, it } from 'vitest';
import { idle, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { awsOf } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';
import {
  afterSeconds,
  data,
  folder,
  hence,
  inject,
  left,
  messages,
  now,
  read,
  ready,
  schedule,
  stack,
  team,
} from './schedule.setup.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];

describe('a scheduled campaign', () => {
  it('is sent at its time and not before', async () => {
    const campaign = await ready();
    const at = await hence(3_600);
    expect((await schedule(campaign, at)).body.data).toMatchObject({
      status: 'scheduled',
      scheduled_at: at.replace('Z', '+00:00'),
    });
    expect(await afterSeconds(3_500, campaign)).toMatchObject({ status: 'scheduled', sent_count: 0 });
    expect(await afterSeconds(180, campaign)).toMatchObject({ status: 'sent', sent_count: 3 });
    expect(await messages(campaign)).toBe(3);
  });

  it('accepts a time with any offset, and as UTC without one', async () => {
    const campaign = await ready();
    for (const [given, meant] of [
      ['2031-01-01T12:00:00+05:30', '2031-01-01T06:30:00.000+00:00'],
      ['2031-01-01T12:00:00-08:00', '2031-01-01T20:00:00.000+00:00'],
      ['2031-01-01T12:00:00', '2031-01-01T12:00:00.000+00:00'],
      ['2031-01-01', '2031-01-01T00:00:00.000+00:00'],
    ])
      expect((await schedule(campaign, given)).body.data.scheduled_at).toBe(meant);
  });

  it.each([
    ['2020-01-01T00:00:00Z'],
    ['2199-01-01T00:00:00Z'],
    ['2031-02-29T12:00:00Z'],
    ['2031-04-31'],
    ['soon'],
    [null],
    [undefined],
    [1_900_000_000],
  ])('is refused for %s', async (at) => {
    const campaign = await ready();
    const refused = await schedule(campaign, at);
    expect(codeOf(refused)).toEqual([422, 'validation_error']);
    expect(Object.keys(refused.body.errors)).toEqual(['send_at']);
    expect((await read(campaign)).status).toBe('draft');
  });

  it('passes the gates when it is scheduled, and again at its time', async () => {
    const blank = await data('POST', '/campaigns', { name: 'Blank' });
    const blocked = await schedule(blank.id, await hence(60));
    expect(codeOf(blocked)).toEqual([422, 'send_blocked']);
    expect(blocked.body.blockers).toContain('content_missing');
    const { campaign, list } = await readyCampaign(team, [{ email: 'only@n1.example' }]);
    await schedule(campaign, await hence(60));
    await data('PATCH', `/campaigns/${campaign}`, { name: 'News', from_email: 'news@nobody.example' });
    await data('DELETE', '/contacts/only@n1.example');
    expect(list).toBeGreaterThan(0);
    expect(await afterSeconds(180, campaign)).toMatchObject({
      status: 'failed',
      failure_reason: 'sending_domain_unverified, audience_empty',
      sent_at: null,
    });
  });

  it('is not sent once it is cancelled or deleted', async () => {
    const [cancelled, deleted] = [await ready(), await ready()];
    for (const campaign of [cancelled, deleted]) await schedule(campaign, await hence(600));
    await data('POST', `/campaigns/${cancelled}/cancel`);
    await data('DELETE', `/campaigns/${deleted}`);
    expect(await afterSeconds(900, cancelled)).toMatchObject({ status: 'cancelled', sent_count: 0 });
    expect([await messages(cancelled), await messages(deleted)]).toEqual([0, 0]);
  });
});

describe('a sending domain that is lost while a campaign is held', () => {
  it.each<[string, (own: Team) => Promise<unknown>]>([
    [
      'to another team',
      async (own) => {
        await data('DELETE', `/sending-domains/${own.domain}`, undefined, own);
        const other = { name: 'Other', plan: 'business', domains: [own.domain] };
        expect((await control('POST', '/teams', other, stack.origin)).status).toBe(200);
      },
    ],
    [
      'with its records, so that SES takes it for unverified',
      (own) => new SESv2Client(awsOf(folder)).send(new DeleteEmailIdentityCommand({ EmailIdentity: own.domain })),
    ],
  ])('%s, pauses the campaign with the reason', async (_how, lose) => {
    const own = await newTeam({ origin: stack.origin });
    const html = '<a href="https://bit.ly/x">x</a> <a href="{{unsubscribe_url}}">Unsubscribe</a>';
    const { campaign } = await readyCampaign(own, rows(3, 'domain.example'), { html });
    await data('POST', `/campaigns/${campaign}/send`, undefined, own);
    await idle(stack.origin);
    expect((await read(campaign, own)).status).toBe('held');
    await lose(own);
    await operate(folder, 'campaign release', { team_id: own.id, campaign_id: campaign });
    await idle(stack.origin);
    const paused = { status: 'paused', failure_reason: 'sending_domain_unverified', sent_count: 0, failed_count: 0 };
    expect(await read(campaign, own)).toMatchObject(paused);
    await own.api('POST', `/campaigns/${campaign}/resume`);
    await idle(stack.origin);
    expect(await read(campaign, own)).toMatchObject(paused);
    expect((await messagesOf(own, campaign, stack.origin)).size).toBe(0);
  });
});

describe("the month's allowance", () => {
  it('allows exactly what is left of it, in preflight, send, schedule and tests alike', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const { campaign } = await readyCampaign(own, rows(3, 'exact.example'));
    const month = new Date(await now()).toISOString().slice(0, 7);
    const table = await rawTable(folder);
    const leave = (emails: number) =>
      table.write([{ pk: `TEAM#${own.id}`, sk: `USAGE#${month}`, emails: 1_000_000 - emails }]);
    const blockers = async () => (await data('POST', `/campaigns/${campaign}/preflight`, undefined, own)).blockers;
    await leave(2);
    expect(await blockers()).toEqual(['plan_allowance_exceeded']);
    for (const refused of [
      await own.api('POST', `/campaigns/${campaign}/send`),
      await schedule(campaign, await hence(600), own),
    ])
      expect([...codeOf(refused), refused.body.blockers]).toEqual([422, 'send_blocked', ['plan_allowance_exceeded']]);
    const emails = ['a', 'b', 'c'].map((name) => `${name}@exact.example`);
    const tested = await own.api('POST', `/campaigns/${campaign}/test`, { emails });
    expect(codeOf(tested)).toEqual([422, 'plan_allowance_exceeded']);
    expect((await control('GET', `/messages?to=${emails[0]}`, undefined, stack.origin)).body.data).toEqual([]);
    // The list is larger than what is left; its matching contacts are not.
    const audience_filters = { search: 'Name 1' };
    await data('PATCH', `/campaigns/${campaign}`, { name: 'Narrow', audience_filters }, own);
    expect(await blockers()).toEqual([]);
    await data('PATCH', `/campaigns/${campaign}`, { name: 'Wide', audience_filters: null }, own);
    await leave(3);
    expect(await blockers()).toEqual([]);
    await data('POST', `/campaigns/${campaign}/send`, undefined, own);
    await idle(stack.origin);
    expect(await read(campaign, own)).toMatchObject({ status: 'sent', sent_count: 3 });
    expect(await left(own, campaign)).toBe(0);
  });

  it('fails a campaign that exceeds it, also for a team suspended meanwhile', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const campaign = await ready(3, own);
    await inject({ service: 'states', operation: 'StartExecution', error: 'ExecutionLimitExceeded' });
    expect((await own.api('POST', `/campaigns/${campaign}/send`)).status).toBe(503);
    await operate(folder, 'team suspend', { team_id: own.id });
    const month = new Date(await now()).toISOString().slice(0, 7);
    await (await rawTable(folder)).write([{ pk: `TEAM#${own.id}`, sk: `USAGE#${month}`, emails: 999_999 }]);
    await control('DELETE', '/faults', undefined, stack.origin);
    expect(await afterSeconds(180, campaign, own)).toMatchObject({
      status: 'failed',
      failure_reason: 'plan_allowance_exceeded',
    });
  });
});
