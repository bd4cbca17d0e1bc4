import { describe, expect, it } from 'vitest';
import { ended, everyRow, idle } from '../../support/campaign.ts';
import type { Answer } from '../../support/team.ts';
import {
  addresses,
  advance,
  clear,
  expectTrue,
  inject,
  patient,
  ready,
  sendUnder,
  stack,
  team,
  total,
} from './faults.setup.ts';

describe('every recipient gets exactly one message, and every count is right, under', () => {
  it.each<[string, object[]]>([
    [
      'a table that throttles',
      [{ service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.2 }],
    ],
    [
      'transactions in conflict',
      [
        { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException', rate: 0.3 },
        ...['PutItem', 'UpdateItem', 'DeleteItem'].map((operation) => ({
          service: 'dynamodb',
          operation,
          error: 'TransactionConflictException',
          rate: 0.1,
        })),
      ],
    ],
    ['a table whose answers get lost', [{ service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.1 }]],
    [
      'a provider that throttles',
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.3 }],
    ],
    [
      "a provider's answer that gets lost",
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'lost_response', count: 1 }],
    ],
    [
      'feedback that comes twice and out of order',
      [
        { service: 'sns', operation: 'Publish', error: 'duplicate', rate: 0.5 },
        { service: 'sns', operation: 'Publish', error: 'reorder', rate: 0.8 },
      ],
    ],
    [
      'feedback that is not accepted at first',
      [{ service: 'sns', operation: 'Publish', error: 'InternalFailure', rate: 0.3 }],
    ],
    [
      'pages queued twice',
      [
        { service: 'sqs', operation: 'SendMessageBatch', error: 'duplicate' },
        { service: 'sqs', operation: 'SendMessage', error: 'duplicate' },
      ],
    ],
    ['a queue that refuses', [{ service: 'sqs', operation: '*', error: 'InternalFailure', count: 4 }]],
  ])('%s', async (_name, faults) => {
    const campaign = await ready();
    expect(await sendUnder(campaign, faults)).toMatchObject({ status: 'sent', failure_reason: null });
    await expectTrue(campaign);
  });
});

it("keeps each person's own click when workers judge the same person at once and writes are delayed", async () => {
  const campaign = await ready();
  await patient.api('POST', `/campaigns/${campaign}/send`);
  await ended(stack.origin, team, campaign);
  const start = Date.now() - 3_600_000;
  const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
  await inject({
    service: 'dynamodb',
    operation: 'UpdateItem',
    error: 'TransactionConflictException',
    rate: 0.3,
  });
  const report = async (email: string, link: string, seconds: number) => {
    const metadata = { url: `https://example.com/${link}`, occurred_at: at(seconds) };
    const events = [{ email, event: 'clicked', campaign_id: campaign, metadata }];
    expect((await patient.api('POST', '/events', { events })).status).toBe(200);
  };
  // A machine follows three links. While the third is judged with the others, the person's own click of minutes later
  // comes.
  const clickers = addresses.slice(0, 20);
  await Promise.all(
    clickers.map(async (email, index) => {
      await report(email, 'a', 0);
      await report(email, 'b', 0.5);
      const third = report(email, 'c', 1);
      await new Promise((resolve) => setTimeout(resolve, 10 * index));
      await Promise.all([third, report(email, 'a', 300)]);
    }),
  );
  await clear();
  // Counts in doubt after a failure are recounted within a quarter of an hour.
  await advance(20 * 60);
  await idle(stack.origin);
  const listed = await everyRow(team, `/campaigns/${campaign}/recipients?filter=clicked`);
  expect(listed.map(({ email, clicked_at }) => [email, Date.parse(clicked_at)])).toEqual(
    clickers.map((email) => [email, Date.parse(at(300))]),
  );
  const { body } = await team.api('GET', `/campaigns/${campaign}/report`);
  expect(body.data.metrics.clicked).toBe(clickers.length);
  const links: { url: string }[] = (await team.api('GET', `/campaigns/${campaign}/report/links`)).body.data;
  expect(links.sort((one, other) => (one.url < other.url ? -1 : 1))).toEqual([
    { url: 'https://example.com/a', clicks: 20, unique: 20, bots: 20 },
    { url: 'https://example.com/b', clicks: 0, unique: 0, bots: 20 },
    { url: 'https://example.com/c', clicks: 0, unique: 0, bots: 20 },
  ]);
});

it('is started by the reconciler when the workflow failed to start, and the request may be repeated', async () => {
  const campaign = await ready();
  await inject({ service: 'states', operation: 'StartExecution', error: 'ExecutionLimitExceeded', count: 1 });
  const send = () => team.api('POST', `/campaigns/${campaign}/send`, undefined, { 'idempotency-key': 'start' });
  const refused = await send();
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
  expect((await team.api('GET', `/campaigns/${campaign}`)).body.data.status).toBe('screening');
  expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'sent' });
  expect((await send()).status).toBe(200);
  await expectTrue(campaign);
});

it('fails when the provider refuses every message, with the error on each recipient', async () => {
  const campaign = await ready();
  const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'MessageRejected', count: 1 };
  const partial = await sendUnder(campaign, [fault]);
  const failed = partial.failed_count;
  expect(partial).toMatchObject({ status: 'partial', failure_reason: `${failed} recipients failed` });
  await expectTrue(campaign, { failed });
  const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
  for (const { status, error_message, sent_at } of listed)
    expect([error_message === null, sent_at === null]).toEqual(status === 'failed' ? [false, true] : [true, false]);
});

describe('the daily quota', () => {
  const used = { service: 'ses', operation: 'SendBulkEmail', error: 'LimitExceededException' };

  it('pauses a campaign, which resumes by itself when the account may send again', async () => {
    const campaign = await ready();
    const paused = await sendUnder(campaign, [used]);
    expect(paused).toMatchObject({ status: 'paused', sent_count: 0, failure_reason: expect.any(String) });
    await expectTrue(campaign, { pending: total }, 0);
    expect((await team.api('PATCH', `/campaigns/${campaign}`, { name: 'Other' })).body.code).toBe('not_applicable');
    await advance(20 * 60);
    expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'sent', failure_reason: null });
    await expectTrue(campaign);
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
