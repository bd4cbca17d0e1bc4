import { describe, expect, it } from 'vitest';
import { advance, clear, expectTrue, inject, ready, sendUnder, team, total } from './faults.setup.ts';

it('every recipient gets exactly one message, and every count is right, under all faults together', async () => {
  const campaign = await ready();
  const faults = [
    { service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.05 },
    { service: 'dynamodb', operation: 'UpdateItem', error: 'TransactionConflictException', rate: 0.05 },
    { service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.05 },
    { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionInProgressException', rate: 0.05 },
    { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.2 },
    { service: 'sns', operation: 'Publish', error: 'duplicate', rate: 0.3 },
    { service: 'sns', operation: 'Publish', error: 'reorder', rate: 0.3 },
    { service: 'sqs', operation: '*', error: 'duplicate', rate: 0.3 },
  ];
  expect(await sendUnder(campaign, faults)).toMatchObject({ status: 'sent', failure_reason: null });
  await expectTrue(campaign);
});

it('takes an email from the allowance once when its transaction is said to be in progress', async () => {
  const used = async () => (await team.data('GET', '/ai/usage')).emails.used;
  const before = await used();
  // More often than the SDK asks again.
  await inject({
    service: 'dynamodb',
    operation: 'TransactWriteItems',
    error: 'TransactionInProgressException',
    count: 7,
  });
  const message = { to: 'ann@example.com', from_email: `hello@${team.domain}`, subject: 'Hello', html: '<p>Hello</p>' };
  expect((await team.api('POST', '/send', message)).status).toBe(200);
  expect((await used()) - before).toBe(1);
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
