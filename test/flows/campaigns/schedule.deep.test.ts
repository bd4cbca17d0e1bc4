import { describe, expect, it } from 'vitest';
import { idle, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';
import {
  advance,
  afterSeconds,
  data,
  folder,
  hence,
  inject,
  left,
  messages,
  read,
  ready,
  schedule,
  stack,
  team,
} from './schedule.setup.ts';

describe("the month's allowance", () => {
  const plan = (own: Team, name: string) => operate(folder, 'team plan', { team_id: own.id, plan: name });

  /** Concurrent campaigns on the free plan, whose 1,000 emails a month are too few for all. */
  async function startTogether(own: Team, count: number, size: number): Promise<number[]> {
    const { campaign: first, list } = await readyCampaign(own, rows(size, 'many.example'));
    const campaigns = [first];
    while (campaigns.length < count) campaigns.push((await readyCampaign(own, [], { contact_list_id: list })).campaign);
    const at = await hence(300);
    for (const campaign of campaigns) expect((await schedule(campaign, at, own)).status).toBe(200);
    await plan(own, 'free');
    await advance(420);
    await idle(stack.origin);
    await plan(own, 'business');
    return campaigns;
  }

  it('is never exceeded by concurrent sends, and used to the last email that fits', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const campaigns = await startTogether(own, 9, 180);
    const ends = await Promise.all(campaigns.map((campaign) => read(campaign, own)));
    const outcomes = ends.map(({ status, sent_count, failure_reason }) =>
      [status, sent_count, failure_reason].join(' '),
    );
    expect(outcomes.sort()).toEqual([
      ...Array(4).fill('failed 0 plan_allowance_exceeded'),
      ...Array(5).fill('sent 180 '),
    ]);
    expect(await left(own, campaigns[0]!)).toBe(1_000_000 - 5 * 180);
  });

  it('gets back what was suppressed, refused or never sent, not what may have been accepted', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const people = rows(120, 'back.example');
    await data('POST', '/suppressions', { email: people[0]!.email, reason: 'manual' }, own);
    const { campaign } = await readyCampaign(own, people);
    await inject({ service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException', count: 1 });
    await data('POST', `/campaigns/${campaign}/send`, undefined, own);
    await idle(stack.origin);
    const { sent_count } = await afterSeconds(1_200, campaign, own);
    const listed = (await own.api('GET', `/campaigns/${campaign}/recipients?per_page=100`)).body;
    expect(listed.data.length).toBe(100);
    const unknown = 119 - sent_count;
    expect(unknown).toBeGreaterThan(0);
    expect(await left(own, campaign)).toBe(1_000_000 - 119);
  });
});

describe('a scheduled campaign', () => {
  it('is sent at its last schedule only', async () => {
    const campaign = await ready();
    await schedule(campaign, await hence(600));
    await schedule(campaign, await hence(7_200));
    expect(await afterSeconds(900, campaign)).toMatchObject({ status: 'scheduled' });
    await schedule(campaign, await hence(300));
    expect(await afterSeconds(500, campaign)).toMatchObject({ status: 'sent', sent_count: 3 });
    await afterSeconds(7_200, campaign);
    expect(await messages(campaign)).toBe(3);
  });

  it('starts years ahead', async () => {
    const campaign = await ready();
    const years = 3 * 365 * 86_400;
    await schedule(campaign, await hence(years));
    expect(await afterSeconds(years - 86_400, campaign)).toMatchObject({ status: 'scheduled' });
    expect(await afterSeconds(86_400 + 120, campaign)).toMatchObject({ status: 'sent', sent_count: 3 });
  });
});

describe('of two concurrent requests exactly one wins:', () => {
  const both = async (campaign: number, actions: string[]) => {
    const answers = await Promise.all(actions.map((action) => team.api('POST', `/campaigns/${campaign}/${action}`)));
    return answers.map(({ status }) => status).sort();
  };

  it('two sends', async () => {
    const campaign = await ready();
    expect(await both(campaign, ['send', 'send', 'send'])).toEqual([200, 422, 422]);
    await idle(stack.origin);
    expect(await messages(campaign)).toBe(3);
  });

  it('a send and a cancellation', async () => {
    for (let round = 0; round < 8; round++) {
      const campaign = await ready();
      expect(await both(campaign, round % 2 === 0 ? ['send', 'cancel'] : ['cancel', 'send'])).toEqual([200, 422]);
      await idle(stack.origin);
      const { status, sent_count } = await read(campaign);
      expect(['sent 3', 'cancelled 0']).toContain(`${status} ${sent_count}`);
      expect(await messages(campaign)).toBe(sent_count);
    }
  });

  it('the start of a schedule and a cancellation', async () => {
    for (let round = 0; round < 4; round++) {
      const campaign = await ready();
      await schedule(campaign, await hence(60));
      const [, cancelled] = await Promise.all([advance(61 + round), team.api('POST', `/campaigns/${campaign}/cancel`)]);
      const { status, sent_count } = await afterSeconds(180, campaign);
      expect(`${status} ${sent_count}`).toBe(cancelled.status === 200 ? 'cancelled 0' : 'sent 3');
      expect(await messages(campaign)).toBe(sent_count);
    }
  });

  it('two resumptions, and no recipient gets a second message', async () => {
    await inject({ service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException' });
    const campaign = await ready();
    await data('POST', `/campaigns/${campaign}/send`);
    while ((await read(campaign)).status !== 'sending');
    expect(await both(campaign, ['pause', 'pause'])).toEqual([200, 422]);
    await control('DELETE', '/faults', undefined, stack.origin);
    expect(await both(campaign, ['resume', 'resume'])).toEqual([200, 422]);
    await idle(stack.origin);
    expect(await read(campaign)).toMatchObject({ status: 'sent', sent_count: 3, failure_reason: null });
    expect(await messages(campaign)).toBe(3);
  });
});

describe('a move under an Idempotency-Key whose answers get lost', () => {
  it('is made once, and each answer shows it', async () => {
    await inject({ service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.2 });
    const persist = async (campaign: number, action: string, body?: object): Promise<Answer> => {
      for (;;) {
        const key = { 'idempotency-key': `${action}-${campaign}` };
        const answer = await team.api('POST', `/campaigns/${campaign}/${action}`, body, key);
        if (answer.status === 409) await advance(61);
        else if (answer.status !== 503) return answer;
      }
    };
    for (let round = 0; round < 5; round++) {
      await control('DELETE', '/faults', undefined, stack.origin);
      const [planned, cancelled] = [await ready(), await ready()];
      await inject({ service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.2 });
      const at = { send_at: await hence(7 * 86_400) };
      expect((await persist(planned, 'schedule', at)).body).toMatchObject({ data: { status: 'scheduled' } });
      expect((await persist(cancelled, 'cancel')).body).toMatchObject({ data: { status: 'cancelled' } });
    }
  });
});

it('a scheduled campaign stays scheduled when it is edited, and is sent with the last edit', async () => {
  const campaign = await ready();
  await schedule(campaign, await hence(600));
  await data('PATCH', `/campaigns/${campaign}`, { name: 'News', subject: 'Edited' });
  expect((await read(campaign)).status).toBe('scheduled');
  await afterSeconds(800, campaign);
  const sent = await messagesOf(team, campaign, stack.origin);
  expect([...sent.values()].map(({ subject }) => subject)).toEqual(['Edited', 'Edited', 'Edited']);
});

it('a scheduled campaign starts although the workflow fails at first', async () => {
  const campaign = await ready();
  await schedule(campaign, await hence(60));
  await inject({ service: 'states', operation: 'StartExecution', error: 'ExecutionLimitExceeded', count: 2 });
  expect(await afterSeconds(600, campaign)).toMatchObject({ status: 'sent', sent_count: 3 });
  expect(await messages(campaign)).toBe(3);
});

it("the month's allowance counts tests that were sent or may have been, not refused ones", async () => {
  const own = await newTeam({ origin: stack.origin, plan: 'business' });
  const campaign = await ready(1, own);
  const emails = ['refused', 'throttled', 'unknown', 'fine'].map((name) => `${name}@test.example`);
  for (const error of ['MessageRejected', 'TooManyRequestsException', 'InternalServiceErrorException'])
    await inject({ service: 'ses', operation: 'SendEmail', error, count: 1 });
  const { sent, failed } = await data('POST', `/campaigns/${campaign}/test`, { emails }, own);
  expect(sent).toEqual(emails.slice(2));
  expect(failed).toEqual(emails.slice(0, 2).map((email) => ({ email, error: expect.any(String) })));
  expect(await left(own, campaign)).toBe(1_000_000 - 2);
});

it.each(['cancelled', 'cancelled and deleted'])(
  "the month's allowance gets back what a campaign that was %s had not sent",
  async (how) => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const [{ campaign }, other] = [await readyCampaign(own, rows(150, 'cut.example')), await ready(1, own)];
    // One page is sent; its answer is lost with the worker's claim, and the quota stops the others.
    await inject({ service: 'ses', operation: 'SendBulkEmail', error: 'lost_response', count: 1 });
    await inject({ service: 'ses', operation: 'SendBulkEmail', error: 'LimitExceededException' });
    await data('POST', `/campaigns/${campaign}/send`, undefined, own);
    await idle(stack.origin);
    expect(await read(campaign, own)).toMatchObject({ status: 'paused', total_recipients: 150 });
    expect(await left(own, other)).toBe(1_000_000 - 150);
    await data('POST', `/campaigns/${campaign}/cancel`, undefined, own);
    if (how !== 'cancelled') await data('DELETE', `/campaigns/${campaign}`, undefined, own);
    await control('DELETE', '/faults', undefined, stack.origin);
    await advance(300);
    await idle(stack.origin);
    expect(await left(own, other)).toBe(1_000_000 - 50);
    if (how === 'cancelled')
      expect(await read(campaign, own)).toMatchObject({ status: 'cancelled', sent_count: 50, failed_count: 0 });
  },
);
