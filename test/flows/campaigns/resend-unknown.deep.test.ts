import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { partitions } from '../../../shared/data/keys.ts';
import { ended, everyRow, idle, messagesOf } from '../../support/campaign.ts';
import { putFeedback, sesNotification } from '../../support/feedback.ts';
import { operate } from '../../support/operate.ts';
import { startReceiver } from '../../support/receiver.ts';
import { awsOf } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, type Team } from '../../support/team.ts';
import { subscribe } from '../../support/webhooks.ts';
import {
  accepted,
  advance,
  expectExact,
  folder,
  heal,
  inject,
  listed,
  lost,
  resend,
  restart,
  sentUnder,
  settle,
  stack,
  withStatus,
} from './resend-unknown.setup.ts';

const throttled = { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException' };

/** SES's report, at last, on the first message to a recipient. */
async function lateDelivery(team: Team, campaign: number, email: string): Promise<void> {
  const at = Date.parse((await control('GET', '/clock', undefined, stack.origin)).body.now);
  const place = (await listed(team, campaign)).findIndex((row) => row.email === email);
  const tags = { team: team.id, campaign, page: Math.floor(place / 50), index: place % 50 };
  await putFeedback(new SQSClient(awsOf(folder)), [sesNotification({ kind: 'delivered', email, at, tags })]);
  await idle(stack.origin, team);
}

it('gives each recipient of an A/B test the variant it had, and counts it there', async () => {
  const variants = ['A', 'B'].map((label) => ({ label, subject: label }));
  const content = { ab_test_percentage: 50, ab_test_delay_minutes: 30 };
  const sent = await sentUnder({ ...lost, count: 2 }, { content, variants });
  const { team, campaign } = sent;
  expect((await withStatus(team, campaign, 'unknown')).length).toBeGreaterThan(0);
  const { winner_variant_id: winner } = (await team.data('GET', `/campaigns/${campaign}`)).ab_test;
  await settle(team);
  expect((await resend(team, campaign)).status).toBe(200);
  await expectExact(sent);
  const pages = await (await rawTable(folder)).partition(partitions.recipients(team.id, campaign));
  const assigned = pages.flatMap(({ emails, dealt }) =>
    (emails as string)
      .split('\n')
      .map((email, index) => [email, 'ab'.indexOf((dealt as string)[index]!) + 1 || winner]),
  );
  const messages = await messagesOf(team, campaign, stack.origin);
  expect(assigned).toHaveLength(messages.size);
  for (const [email, variant] of assigned)
    expect([email, messages.get(email)!.subject, messages.get(email)!.tags.variant]).toEqual([
      email,
      ' AB'[variant],
      String(variant),
    ]);
  const report = await team.data('GET', `/campaigns/${campaign}/report/variants`);
  const ofVariant = (id: number) => assigned.filter(([, variant]) => variant === id).length;
  expect(report.map((one: { sent: number }) => one.sent)).toEqual([1, 2].map(ofVariant));
});

it('mails nobody who may no longer be mailed; they stay unknown, with the reason', async () => {
  const { team, campaign, emails } = await sentUnder({ ...lost, count: 2 });
  const unknown = await withStatus(team, campaign, 'unknown');
  await settle(team);
  const [suppressed, unsubscribed, deleted, erased] = unknown as [string, string, string, string];
  await team.data('POST', '/suppressions', { email: suppressed, reason: 'manual' });
  const idOf = async (email: string) => (await team.data('GET', `/contacts/${email}`)).id;
  await team.data('PATCH', `/contacts/${await idOf(unsubscribed)}`, { status: 'unsubscribed' });
  await team.data('DELETE', `/contacts/${await idOf(deleted)}`);
  await team.data('POST', `/contacts/${await idOf(erased)}/erase`);
  await idle(stack.origin, team);
  expect((await resend(team, campaign)).status).toBe(200);
  expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'partial' });
  const left = [suppressed, unsubscribed, deleted, erased];
  expect(await accepted(team, campaign)).toEqual(emails.filter((email) => !left.includes(email)));
  const rows = (await listed(team, campaign)).filter(({ status }) => status !== 'sent');
  expect(rows.map(({ email, status }) => [email, status])).toEqual(
    expect.arrayContaining([suppressed, unsubscribed, deleted, null].map((email) => [email, 'unknown'])),
  );
  expect(rows).toHaveLength(4);
  for (const { error_message } of rows) expect(error_message).toContain('not sent again');
});

describe('feedback on the first message that comes after all', () => {
  it('before the second one settles the recipient, who is not mailed again', async () => {
    const { team, campaign, emails } = await sentUnder({ ...lost, count: 1 });
    await settle(team);
    const [reported] = (await withStatus(team, campaign, 'unknown')) as [string];
    await lateDelivery(team, campaign, reported);
    await resend(team, campaign);
    expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'sent', sent_count: emails.length });
    expect(await accepted(team, campaign)).toEqual(emails.filter((email) => email !== reported));
    expect(await withStatus(team, campaign, 'sent')).toEqual(emails);
  });

  it('after the second one changes nothing but the events, and settles a second one that is unknown, too', async () => {
    const sent = await sentUnder({ ...lost, count: 1 });
    const { team, campaign, emails } = sent;
    await settle(team);
    const unknown = await withStatus(team, campaign, 'unknown');
    await inject(lost);
    await resend(team, campaign);
    await ended(stack.origin, team, campaign);
    await heal();
    const [late, ...others] = unknown as [string, ...string[]];
    await lateDelivery(team, campaign, late);
    await advance(20 * 60, team);
    expect(await withStatus(team, campaign, 'unknown')).toEqual(others);
    await settle(team);
    await resend(team, campaign);
    expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'sent', sent_count: emails.length });
    expect(await accepted(team, campaign)).toEqual(emails.filter((email) => email !== late));
    await lateDelivery(team, campaign, others[0]!);
    expect(await withStatus(team, campaign, 'sent')).toEqual(emails);
    const { metrics } = await team.data('GET', `/campaigns/${campaign}/report`);
    expect(metrics).toMatchObject({ sent: emails.length, delivered: emails.length });
  });
});

describe('a resend that is stopped', () => {
  it('leaves those unknown whom it has not sent to when it is cancelled, and their emails reserved', async () => {
    const sent = await sentUnder({ ...lost, count: 2 });
    const { team, campaign } = sent;
    await settle(team);
    const unknown = await withStatus(team, campaign, 'unknown');
    await inject(throttled);
    await resend(team, campaign);
    while ((await withStatus(team, campaign, 'sending')).length === 0) await sleep(20);
    await team.data('POST', `/campaigns/${campaign}/pause`);
    // Calls that are under way end.
    while ((await withStatus(team, campaign, 'pending')).length < unknown.length) await sleep(100);
    expect((await team.data('POST', `/campaigns/${campaign}/cancel`)).status).toBe('cancelled');
    await heal();
    expect(await withStatus(team, campaign, 'unknown')).toEqual(unknown);
    // Messages to none of them are sent: events of all others are exact.
    await advance(20 * 60, team);
    await expectExact(sent, 'cancelled');
    expect(await withStatus(team, campaign, 'unknown')).toEqual(unknown);
    await settle(team);
    expect((await resend(team, campaign)).body.code).toBe('not_applicable');
  });

  it('goes on after pauses, and mails nobody twice', async () => {
    const sent = await sentUnder({ ...lost, count: 2 });
    const { team, campaign } = sent;
    await settle(team);
    await inject(throttled);
    await resend(team, campaign);
    while ((await withStatus(team, campaign, 'pending')).length === 0) await sleep(20);
    for (let round = 0; round < 3; round++) {
      await team.data('POST', `/campaigns/${campaign}/pause`);
      await team.data('POST', `/campaigns/${campaign}/resume`);
    }
    await heal();
    await expectExact(sent);
  });

  it('is not begun for a suspended team', async () => {
    const sent = await sentUnder({ ...lost, count: 1 });
    const { team, campaign } = sent;
    await settle(team);
    await operate(folder, 'team suspend', { team_id: team.id });
    const refused = await resend(team, campaign);
    expect([refused.status, refused.body.blockers]).toEqual([422, ['sending_suspended']]);
    expect((await team.data('GET', `/campaigns/${campaign}`)).status).toBe('partial');
    await operate(folder, 'team unsuspend', { team_id: team.id });
    expect((await resend(team, campaign)).status).toBe(200);
    await expectExact(sent);
  });
});

it('publishes the status again, and a sent event once for each recipient', async () => {
  const receiver = await startReceiver();
  const sent = await sentUnder({ ...lost, count: 1 });
  const { team, campaign, emails } = sent;
  const before = await accepted(team, campaign);
  await subscribe(team, `${receiver.url}/resend`, ['campaign.sending', 'campaign.sent', 'email.sent']);
  await settle(team);
  await resend(team, campaign);
  await expectExact(sent);
  const received = receiver.to('/resend').map(({ body }) => body);
  const types = received.map(({ type }) => type).filter((type) => type.startsWith('campaign'));
  expect(types.sort()).toEqual(['campaign.sending', 'campaign.sent']);
  const told = received.filter(({ type }) => type === 'email.sent').map(({ data }) => data.email);
  expect(told.sort()).toEqual(emails.filter((email) => !before.includes(email)));
  await receiver.stop();
});

describe('everybody who stays unknown gets one message, and nobody else one,', () => {
  it('when the stack is killed repeatedly during the resend', async () => {
    const sent = await sentUnder({ ...lost, rate: 0.6 }, { people: 600 });
    const { team, campaign } = sent;
    await settle(team);
    const before = await accepted(team, campaign);
    await resend(team, campaign);
    for (let kill = 0; kill < 4; kill++) {
      await sleep(Math.random() * 400);
      await restart();
    }
    const { status, sent_count } = await ended(stack.origin, team, campaign);
    expect(sent_count).toBeGreaterThan(before.length);
    await expectExact(sent, status);
  }, 400_000);

  it.each<[string, object[]]>([
    [
      'while the table throttles and loses answers',
      [
        { service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.1 },
        { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException', rate: 0.2 },
        { service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.1 },
      ],
    ],
    [
      'while queue messages come twice and SES throttles',
      [
        { service: 'sqs', operation: '*', error: 'duplicate', rate: 0.5 },
        { ...throttled, rate: 0.3 },
      ],
    ],
    ["when the provider's answer gets lost", [{ ...lost, error: 'lost_response', count: 1 }]],
  ])('%s', async (_name, faults) => {
    const sent = await sentUnder({ ...lost, count: 2 });
    const { team, campaign } = sent;
    await settle(team);
    for (const fault of faults) await inject(fault);
    for (;;) {
      const answer = await resend(team, campaign, 'resend');
      if (answer.status === 200) break;
      expect([409, 503], JSON.stringify(answer.body)).toContain(answer.status);
      if (answer.status === 409) await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
    }
    const patient = {
      ...team,
      api: async (...request: Parameters<Team['api']>) => {
        for (;;) {
          const answer = await team.api(...request);
          if (answer.status !== 503) return answer;
        }
      },
    };
    await ended(stack.origin, patient, campaign);
    await heal();
    await expectExact(sent);
  });
});

describe('a campaign with recipients that stay unknown', () => {
  it('is sent again by one of two requests at once; the same request, repeated, finds its own', async () => {
    const sent = await sentUnder({ ...lost, count: 1 });
    const { team, campaign } = sent;
    await settle(team);
    // The workflow cannot start: each request may be repeated.
    await inject({ service: 'states', operation: 'StartExecution', error: 'ExecutionLimitExceeded', count: 1 });
    const answers = await Promise.all(['one', 'other'].map((key) => resend(team, campaign, key)));
    expect(answers.map(({ body }) => body.code).sort()).toEqual(['not_applicable', 'unavailable']);
    await heal();
    const winner = answers[0]!.status === 503 ? 'one' : 'other';
    expect((await resend(team, campaign, winner)).status).toBe(200);
    await expectExact(sent);
    const replay = await resend(team, campaign, winner);
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });

  it('can be sent again once more, after the same time, when the provider does not answer again', async () => {
    const sent = await sentUnder({ ...lost, count: 1 });
    const { team, campaign } = sent;
    await settle(team);
    const unknown = await withStatus(team, campaign, 'unknown');
    await inject(lost);
    await resend(team, campaign);
    expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'partial' });
    await heal();
    expect(await withStatus(team, campaign, 'unknown')).toEqual(unknown);
    expect((await resend(team, campaign)).body.code).toBe('still_settling');
    await settle(team);
    expect((await resend(team, campaign)).status).toBe(200);
    await expectExact(sent);
  });
});

const until = /until (\d{4}-\d\d-\d\dT\S+\+00:00)/;

it('sends again to exactly those who stay unknown, once the provider had the time to report', async () => {
  const sent = await sentUnder({ ...lost, count: 1 });
  const { team, campaign } = sent;
  const before = await accepted(team, campaign);
  const unknown = await withStatus(team, campaign, 'unknown');
  expect(unknown.length).toBe(sent.emails.length - before.length);
  expect(unknown.length).toBeGreaterThan(0);

  const early = await resend(team, campaign);
  expect([early.status, early.body.code]).toEqual([422, 'still_settling']);
  const [, time = ''] = until.exec(early.body.message) ?? [];
  expect(Number.isNaN(Date.parse(time))).toBe(false);
  const report = async () => (await team.data('GET', `/campaigns/${campaign}/report`)).unknown;
  expect(await report()).toEqual({ recipients: unknown.length, message: expect.stringContaining(time) });
  for (const { error_message } of await listed(team, campaign)) expect(error_message).toBeNull();

  await settle(team);
  for (const { status, error_message } of await listed(team, campaign))
    expect([status, error_message]).toEqual(
      status === 'unknown' ? [status, expect.stringContaining('never said')] : ['sent', null],
    );
  expect(await report()).toEqual({ recipients: unknown.length, message: expect.stringContaining('never said') });
  const { sent_at: first } = (await listed(team, campaign)).find(({ status }) => status === 'sent');
  const answer = await resend(team, campaign);
  expect([answer.status, answer.body.data.status]).toEqual([200, 'sending']);
  expect(answer.body.data).toMatchObject({ failure_reason: null, sent_count: before.length });
  await expectExact(sent);
  expect((await accepted(team, campaign)).filter((email) => !before.includes(email))).toEqual(unknown.sort());
  const five_hours = 5 * 3_600_000;
  for (const { email, sent_at, error_message } of await listed(team, campaign)) {
    expect(error_message).toBeNull();
    expect([email, Date.parse(sent_at) - Date.parse(first) > five_hours]).toEqual([email, unknown.includes(email)]);
  }
  const [again] = await everyRow(team, `/events?campaign_id=${campaign}&event=sent&email=${unknown[0]}`);
  expect(Date.parse(again.created_at) - Date.parse(first)).toBeGreaterThan(five_hours);
  expect(await report()).toBeUndefined();
  expect((await resend(team, campaign)).body.code).toBe('not_applicable');
});
