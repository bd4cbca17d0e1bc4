import { expect, test } from 'vitest';
import { checkAccount, type Finding } from '../../bin/account/checks.ts';
import { type MailAccount, neverCreated, type StageFacts } from '../../bin/account/facts.ts';
import { checkStage } from '../../bin/account/health.ts';
import {
  aiConcurrency,
  amplestAccount,
  smallestAccount,
  workerConcurrency,
  workersTogether,
} from '../../lib/concurrency.ts';

const mail: MailAccount = {
  maxSendRate: 14,
  max24HourSend: 50_000,
  sentLast24Hours: 0,
  inSandbox: false,
  sendingEnabled: true,
  pricingPlan: 'ESSENTIALS',
  review: 'HEALTHY',
};
const deployed = { status: 'UPDATE_COMPLETE', outputs: {} };
const healthy: StageFacts = {
  stage: 'prod',
  place: { account: '123456789012', region: 'eu-central-1', partition: 'aws' },
  stacks: { data: deployed, pipeline: deployed, api: deployed },
  bootstrap: { known: 21 },
  concurrency: { known: 1_000 },
  mail: { known: mail },
  ringing: { known: [] },
  subscribers: { known: { confirmed: 1, pending: 0 } },
  domains: { known: [{ name: 'news.example.com', verified: true }] },
  busiestDay: { known: 10_000 },
};

/** What is not fine, as its level, text and command. */
const faults = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'fine');

test('finds no fault in an account and a stage where there is none', () => {
  expect(faults(checkAccount(healthy))).toEqual([]);
  expect(faults(checkStage(healthy))).toEqual([]);
});

test.each<[string, Partial<StageFacts>, Partial<Finding>]>([
  [
    'no bootstrap',
    { bootstrap: { known: null } },
    { level: 'stop', command: expect.stringContaining('cdk bootstrap') },
  ],
  ['an old bootstrap', { bootstrap: { known: 5 } }, { level: 'stop', says: expect.stringContaining('version 5') }],
  ['no SES in the region', { mail: { known: null } }, { level: 'stop', says: expect.stringContaining('has no SES') }],
  [
    'the sandbox',
    { mail: { known: { ...mail, inSandbox: true } } },
    { level: 'limit', command: expect.stringContaining('--production-access-enabled') },
  ],
  ['stopped sending', { mail: { known: { ...mail, sendingEnabled: false } } }, { level: 'stop' }],
  ['a review', { mail: { known: { ...mail, review: 'PROBATION' } } }, { level: 'limit' }],
  [
    'ten functions at once',
    { concurrency: { known: 10 } },
    { level: 'limit', says: expect.stringContaining('refused'), command: expect.stringMatching(/L-B99A9384 .* 1000$/) },
  ],
  [
    'a hundred functions',
    { concurrency: { known: 100 } },
    { level: 'limit', says: expect.stringContaining('up to 4') },
  ],
  ['what AWS refuses to say', { concurrency: { unknown: 'it (no)' } }, { level: 'unknown' }],
])('names %s before a deployment, and in the status', (_, facts, fault) => {
  expect(faults(checkAccount({ ...healthy, ...facts }))).toEqual([expect.objectContaining(fault)]);
  expect(faults(checkStage({ ...healthy, ...facts }))).toEqual([expect.objectContaining(fault)]);
});

test.each<[string, Partial<StageFacts>, Partial<Finding>]>([
  ['a stack that is not there', { stacks: { data: deployed, pipeline: deployed } }, { level: 'stop' }],
  [
    'a deployment that was rolled back',
    { stacks: { ...healthy.stacks, api: { status: 'UPDATE_ROLLBACK_COMPLETE', outputs: {} } } },
    { level: 'limit', command: 'npm run deploy -- --stage prod' },
  ],
  [
    'a stack that failed',
    { stacks: { ...healthy.stacks, api: { status: 'UPDATE_ROLLBACK_FAILED', outputs: {} } } },
    { level: 'stop' },
  ],
  [
    'a deployment under way',
    { stacks: { ...healthy.stacks, api: { status: 'UPDATE_IN_PROGRESS', outputs: {} } } },
    { level: 'limit', says: expect.stringContaining('under way') },
  ],
  ['an alarm', { ringing: { known: ['mailwright-prod-api-errors'] } }, { level: 'stop' }],
  [
    'a topic without a subscriber',
    { subscribers: { known: { confirmed: 0, pending: 0 } } },
    {
      level: 'stop',
      command: expect.stringContaining('arn:aws:sns:eu-central-1:123456789012:mailwright-prod-operators'),
    },
  ],
  ['an unconfirmed subscriber', { subscribers: { known: { confirmed: 0, pending: 1 } } }, { level: 'stop' }],
  ['no domain', { domains: { known: [] } }, { level: 'stop', command: expect.stringContaining('--publish') }],
  [
    'a domain that waits for its records',
    {
      domains: {
        known: [...('known' in healthy.domains ? healthy.domains.known : []), { name: 'b.example', verified: false }],
      },
    },
    { level: 'limit', says: 'Not verified: b.example.' },
  ],
  [
    'a quota that the busiest day nearly used up',
    { busiestDay: { known: 40_000 } },
    { level: 'limit', command: expect.stringMatching(/L-804C8AE8 --desired-value 100000$/) },
  ],
])('names %s in the status', (_, facts, fault) => {
  expect(faults(checkStage({ ...healthy, ...facts }))).toEqual([expect.objectContaining(fault)]);
});

test('a stack never lived whose creation failed, and one that failed later did', () => {
  const having = (status: string) => neverCreated({ pipeline: { status, outputs: {} }, api: deployed });
  for (const status of ['CREATE_FAILED', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'])
    expect(having(status), status).toEqual(['pipeline']);
  for (const status of ['CREATE_COMPLETE', 'CREATE_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_ROLLBACK_FAILED'])
    expect(having(status), status).toEqual([]);
});

test('an account without a daily quota is never near it', () => {
  const unlimited = { known: { ...mail, max24HourSend: -1 } };
  expect(faults(checkStage({ ...healthy, mail: unlimited, busiestDay: { known: 9_000_000 } }))).toEqual([]);
});

test('the workers leave half of what the account runs at once to the API and the workflows', () => {
  for (let account = smallestAccount; account <= amplestAccount + 10; account++)
    expect(workersTogether(account), String(account)).toBeLessThanOrEqual(account / 2);
});

test('an account that runs enough at once, or is not known, gives every worker what it wants', () => {
  expect(workersTogether()).toBe(300);
  expect(workerConcurrency(amplestAccount)).toEqual(workerConcurrency());
  expect(workerConcurrency(amplestAccount - 1)).not.toEqual(workerConcurrency());
});

test('every worker has the two that Lambda demands, in the smallest account, too', () => {
  for (const account of [1, 10, smallestAccount])
    expect(new Set(Object.values(workerConcurrency(account)))).toEqual(new Set([2]));
});

test('the AI tools get a concurrency of their own where Lambda lets others keep a hundred, and 50 at most', () => {
  for (const account of [undefined, 1, 10, 99, 100, 104]) expect(aiConcurrency(account)).toBeUndefined();
  expect([105, 200, 600, 1_000, 10_000].map(aiConcurrency)).toEqual([5, 10, 30, 50, 50]);
  for (let account = 105; account <= 1_100; account++)
    expect(account - aiConcurrency(account)!).toBeGreaterThanOrEqual(100);
});
