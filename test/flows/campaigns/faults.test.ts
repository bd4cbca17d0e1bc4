import { describe, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import type { Answer } from '../../support/team.ts';
import { advance, clear, expectTrue, inject, ready, sendUnder, team, total } from './faults.setup.ts';

it('every recipient gets exactly one message, and every count is right, under all faults together', async () => {
  const campaign = await ready();
  const faults = [
    { service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.05 },
    { service: 'dynamodb', operation: 'UpdateItem', error: 'TransactionConflictException', rate: 0.05 },
    { service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.05 },
    { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.2 },
    { service: 'sns', operation: 'Publish', error: 'duplicate', rate: 0.3 },
    { service: 'sns', operation: 'Publish', error: 'reorder', rate: 0.3 },
    { service: 'sqs', operation: '*', error: 'duplicate', rate: 0.3 },
  ];
  expect(await sendUnder(campaign, faults)).toMatchObject({ status: 'sent', failure_reason: null });
  await expectTrue(campaign);
});

it('ends as partial, with the page of the failed provider call unknown and never sent again', async () => {
  const campaign = await ready();
  const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException', count: 1 };
  const partial = await sendUnder(campaign, [fault]);
  expect(partial.status).toBe('partial');
  const unknown = total - partial.sent_count;
  expect([50, 20]).toContain(unknown);
  expect(partial.failure_reason).toBe(`${unknown} recipients unknown: the provider never said`);
  await expectTrue(campaign, { unknown });
  await advance(6 * 3_600);
  await expectTrue(campaign, { unknown });
  expect((await team.api('GET', `/campaigns/${campaign}`)).body.data).toEqual(partial);
});

describe('the daily quota', () => {
  const used = { service: 'ses', operation: 'SendBulkEmail', error: 'LimitExceededException' };

  it('allows a paused campaign to be cancelled; unsent recipients are never sent', async () => {
    const campaign = await ready();
    await sendUnder(campaign, [used]);
    const cancelled = await team.api('POST', `/campaigns/${campaign}/cancel`);
    expect(cancelled.body.data).toMatchObject({ status: 'cancelled', sent_count: 0, total_recipients: total });
    await clear();
    await advance(3_600);
    await expectTrue(campaign, { cancelled: total });
  });
});

describe('a write under an Idempotency-Key, while the table throttles and loses answers,', () => {
  const faults = [
    { service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.15 },
    { service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.1 },
  ];

  /** Repeats one request until it is answered; a claim left by a lost answer ends with its lease. */
  async function persist(path: string, body: object, key: string): Promise<Answer> {
    for (;;) {
      const answer = await team.api('POST', path, body, { 'idempotency-key': key });
      if (answer.status === 409) await advance(61);
      else if (answer.status !== 503) return answer;
    }
  }

  it.each([
    ['/lists', 'name'],
    ['/tags', 'name'],
    ['/campaigns', 'name'],
    ['/api-keys', 'name'],
    ['/contacts', 'email'],
  ])('POST %s takes effect once, and its replay is the answer it had', async (path, field) => {
    for (const fault of faults) await inject(fault);
    const made = [];
    for (let index = 0; index < 4; index++) {
      const name = `once-${index}@example.com`;
      const answer = await persist(path, { [field]: name }, `${path}-${index}`);
      expect([answer.status, answer.body.data?.[field]]).toEqual([200, name]);
      made.push({ name, answer });
    }
    await clear();
    const listed = await everyRow(team, path);
    for (const { name, answer } of made) {
      expect(listed.filter((row) => row[field] === name).map(({ id }) => id)).toEqual([answer.body.data.id]);
      const index = made.findIndex((other) => other.name === name);
      const replay = await team.api('POST', path, { [field]: name }, { 'idempotency-key': `${path}-${index}` });
      expect(replay.body).toEqual(answer.body);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
    }
    if (path === '/api-keys')
      for (const { answer } of made)
        expect((await team.withKey(answer.body.data.key).api('GET', '/me')).status).toBe(200);
  });
});
