import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { dueJob } from '../../shared/data/due-jobs.ts';
import { idle } from '../support/campaign.ts';
import { awsOf, type Stack, startStack } from '../support/stack.ts';
import { rawTable } from '../support/table.ts';
import { control, newTeam } from '../support/team.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailwright-failures-'));
const address = 'zaphod@galaxy.example';
/** Longer than a key of the table may be. */
const endless = `${'x'.repeat(3_000)}-${address}`;
let stack: Stack;
let sqs: SQSClient;
let lambda: LambdaClient;
let teamId: number;

beforeAll(async () => {
  stack = await startStack({ data: folder });
  sqs = new SQSClient(awsOf(folder));
  lambda = new LambdaClient({ ...awsOf(folder), maxAttempts: 1 });
});
beforeEach(async () => {
  teamId = (await newTeam({ origin: stack.origin })).id;
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
type Line = Record<string, any>;

const textOf = (worker: string): string => readFileSync(join(folder, 'logs', `mailwright-dev-${worker}.log`), 'utf8');

/** The lines of a worker's log that have these fields. */
function linesWith(worker: string, fields: Line): Line[] {
  const lines = textOf(worker).split('\n').filter(Boolean);
  const parsed = lines.map((line) => JSON.parse(line) as Line);
  return parsed.filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
}

async function enqueue(queue: string, body: string): Promise<string> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: `mailwright-dev-${queue}` }));
  const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
  return MessageId!;
}

/** Invokes a worker and gives the error that it ended with. */
async function failureOf(worker: string, input: object): Promise<Line> {
  const command = new InvokeCommand({ FunctionName: `mailwright-dev-${worker}`, Payload: JSON.stringify(input) });
  const { Payload, FunctionError } = await lambda.send(command);
  expect(FunctionError).toBeDefined();
  return JSON.parse(Buffer.from(Payload!).toString());
}

const bounced = (team: number) =>
  JSON.stringify({
    eventType: 'Bounce',
    mail: {
      messageId: '0100-unknown',
      timestamp: new Date().toISOString(),
      destination: [endless],
      tags: { team: [String(team)], campaign: ['77'], page: ['0'], index: ['0'] },
    },
    bounce: {
      timestamp: new Date().toISOString(),
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [{ emailAddress: endless }],
    },
  });

const failing = [
  {
    queue: 'send',
    worker: 'send-page',
    body: () => ({ team_id: teamId, campaign_id: 77, page: 3, leaf: endless }),
    ids: { campaign_id: 77, page: 3 },
  },
  {
    queue: 'sequences',
    worker: 'send-steps',
    body: () => ({ team_id: teamId, sequence_id: 78, lane: endless, token: address }),
    ids: { sequence_id: 78 },
  },
  {
    queue: 'notices',
    worker: 'handle-notices',
    body: () => ({
      team_id: teamId,
      at: new Date().toISOString(),
      notices: [{ id: '79.1', type: 'contact.created', contact_id: 79, email: endless, confirm: true }],
    }),
    ids: { contact_id: 79 },
  },
  {
    queue: 'webhooks',
    worker: 'deliver-webhook',
    body: () => ({
      team_id: teamId,
      webhook_id: 80,
      event_id: `evt_${teamId}`,
      type: 'contact.created',
      body: endless,
    }),
    faults: true,
    ids: { webhook_id: 80 },
  },
  {
    queue: 'jobs',
    worker: 'run-job',
    body: () => ({ team_id: teamId, kind: 'erase', pk: 'DUE#0', sk: endless }),
    ids: { kind: 'erase' },
  },
  { queue: 'feedback', worker: 'apply-feedback', body: () => bounced(teamId), ids: { campaign_id: 77 } },
];

/** Runs work while every read of the table fails. */
async function withoutReads<T>(work: () => Promise<T>): Promise<T> {
  const fault = { service: 'dynamodb', operation: 'GetItem', error: 'InternalServerError', rate: 1 };
  await control('POST', '/faults', fault, stack.origin);
  try {
    return await work();
  } finally {
    await control('DELETE', '/faults', undefined, stack.origin);
  }
}

/** Finds the one line of a failure: with its ids, a stack and no address. */
async function expectOneLine(worker: string, ids: Line): Promise<Line> {
  const lines = () => linesWith(worker, { level: 'ERROR', team_id: teamId });
  await expect.poll(lines, { timeout: 30_000 }).toMatchObject([ids]);
  const [line] = lines();
  expect(line!.error).toMatch(/^\w+$/);
  expect(line!.stack.split('\n').length).toBeGreaterThan(1);
  expect(line!.stack).toMatch(/^ {4}at .+:\d+\)?$/m);
  expect(textOf(worker)).not.toContain('galaxy.example');
  return line!;
}

it.each(failing)('$worker logs a message that it cannot handle once: ids, stack, no address', async (one) => {
  const { queue, worker, body, ids, faults } = one as (typeof failing)[number] & { faults?: boolean };
  const given = body();
  const fail = async () => {
    const message_id = await enqueue(queue, typeof given === 'string' ? given : JSON.stringify(given));
    return expectOneLine(worker, { ...ids, message_id });
  };
  const { stack: frames } = await (faults ? withoutReads(fail) : fail());
  // The SDK's own frames are ten: the stack reaches through them to our code.
  expect(frames.split('\n').length).toBeGreaterThan(12);
});

it.each(failing)('$worker logs a message that it cannot read with the id of the message', async ({ queue, worker }) => {
  const message_id = await enqueue(queue, `{"email": "${address}`);
  await expect
    .poll(() => linesWith(worker, { message_id }), { timeout: 30_000 })
    .toMatchObject([{ level: 'ERROR', error: 'SyntaxError', stack: expect.stringContaining('    at ') }]);
  expect(textOf(worker)).not.toContain('galaxy.example');
});

it.each([
  { worker: 'advance-campaign', ids: { campaign_id: 81, run: 2 } },
  { worker: 'retry-webhook', ids: { webhook_id: 82, event_id: 'evt_82' } },
])('$worker logs a failed step once and fails, so that the workflow tries it again', async ({ worker, ids }) => {
  const { errorType, errorMessage, trace } = await withoutReads(() =>
    failureOf(worker, { team_id: teamId, ...ids, email: address }),
  );
  const { request_id } = await expectOneLine(worker, ids);
  expect([errorType, errorMessage]).toEqual(['InternalServerError', expect.stringContaining(request_id)]);
  // What Lambda itself logs of it has no second stack.
  expect(trace).toHaveLength(1);
});

it('run-job logs a job that fails once, with its kind and record, and others go on', async () => {
  const table = await rawTable(folder);
  const at = new Date().toISOString();
  const job = { team_id: teamId, contact_id: 83, email: endless, at };
  await table.write([
    dueJob({ kind: 'erase', ...job }),
    dueJob({ kind: 'recount', team_id: teamId, campaign_id: 84, batch: 'b' }),
  ]);
  await control('POST', '/clock', { advance_seconds: 70 }, stack.origin);
  await expectOneLine('run-job', { kind: 'erase', contact_id: 83 });
  await idle(stack.origin);
  expect(await table.naming('"campaign_id":84')).toEqual([]);
});

it('reconcile logs a run that fails as a whole, and fails', async () => {
  const fault = { service: 'dynamodb', operation: 'Query', error: 'InternalServerError', rate: 1 };
  await control('POST', '/faults', fault, stack.origin);
  const { errorMessage } = await failureOf('reconcile', {});
  await control('DELETE', '/faults', undefined, stack.origin);
  const request_id = errorMessage.split(' ').at(-1);
  expect(linesWith('reconcile', { request_id })).toMatchObject([
    { message: 'due jobs not handed out', error: 'InternalServerError', stack: expect.stringContaining('    at ') },
  ]);
});

it('operate logs a command that fails once, with the command, and no address', async () => {
  const fault = { service: 'dynamodb', operation: '*', error: 'InternalServerError', rate: 1 };
  await control('POST', '/faults', fault, stack.origin);
  await failureOf('operate', { command: 'team plan', team_id: teamId, plan: 'free', email: address });
  await control('DELETE', '/faults', undefined, stack.origin);
  await expectOneLine('operate', { command: 'team plan' });
});
