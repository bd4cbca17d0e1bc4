import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readPlace, readStacks, readStageFacts } from '../../bin/account/aws.ts';
import { publishedLines, publishRecords } from '../../bin/account/publish-records.ts';
import { readRemains } from '../../bin/account/read-remains.ts';
import { environmentOf, healthyAccount, recordsOf, serveAccount } from './fake-account.ts';

const account = healthyAccount();
let served: Awaited<ReturnType<typeof serveAccount>>;

beforeAll(async () => {
  served = await serveAccount(account);
  for (const [name, value] of Object.entries(environmentOf(served.url))) vi.stubEnv(name, value);
});

afterAll(() => {
  vi.unstubAllEnvs();
  served.server.close();
});

beforeEach(() => {
  Object.assign(account, healthyAccount());
});

test('reads every fact of a stage from AWS', async () => {
  account.stacks['mailwright-prod-data'] = { status: 'UPDATE_COMPLETE', outputs: { Version: 'v1', Options: '{}' } };
  const place = await readPlace();
  expect(place).toEqual({ account: '123456789012', region: 'eu-central-1', partition: 'aws' });
  const stacks = await readStacks('prod');
  expect(stacks).toEqual({ data: { status: 'UPDATE_COMPLETE', outputs: { Version: 'v1', Options: '{}' } } });
  expect(await readStageFacts(place, 'prod', stacks)).toEqual({
    stage: 'prod',
    place,
    stacks,
    bootstrap: { known: 21 },
    concurrency: { known: 1_000 },
    mail: {
      known: {
        maxSendRate: 14,
        max24HourSend: 50_000,
        sentLast24Hours: 100,
        inSandbox: false,
        sendingEnabled: true,
        pricingPlan: 'ESSENTIALS',
        review: 'HEALTHY',
      },
    },
    ringing: { known: [] },
    subscribers: { known: { confirmed: 1, pending: 0 } },
    domains: { known: [{ name: 'news.example.com', verified: true }] },
    busiestDay: { known: 2_000 },
  });
});

test('a change set that was never executed is no stack yet', async () => {
  account.stacks['mailwright-prod-data'] = { status: 'REVIEW_IN_PROGRESS', outputs: {} };
  expect(await readStacks('prod')).toEqual({});
});

test.each([undefined, 0, 50])('what the stage itself has reserved (%s) is not missing', async (reserved) => {
  account.reserved = reserved;
  expect((await readStageFacts(await readPlace(), 'prod', {})).concurrency).toEqual({ known: 1_000 });
});

test('a bootstrap that is missing is known to be missing, and a fact that AWS refuses is unknown', async () => {
  account.bootstrap = undefined;
  account.denied = ['/2016-08-19/account-settings', 'GetTopicAttributes'];
  const facts = await readStageFacts(await readPlace(), 'prod', {});
  expect(facts.bootstrap).toEqual({ known: null });
  expect(facts.concurrency).toEqual({ unknown: expect.stringContaining("Lambda's concurrency (no lambda") });
  expect(facts.subscribers).toEqual({ unknown: expect.stringContaining('no sns GetTopicAttributes') });
  expect(facts.mail).toHaveProperty('known');
});

// A label of 64 characters is no name: the lookup fails without a question to anybody.
test('a region that has no SES has no mail account', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', `http://${'a'.repeat(64)}.invalid`);
  const { mail } = await readStageFacts(await readPlace(), 'prod', {});
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', served.url);
  expect(mail).toEqual({ known: null });
});

test('reads what a stage keeps, also when its table is gone', async () => {
  const types = ['DynamoDB::Table', 'S3::Bucket', 'ApiGatewayV2::Api', 'SES::ConfigurationSet', 'SNS::Topic'];
  account.resources = [...types, 'Backup::BackupVault', 'KMS::Key'].map((type) => ({ type: `AWS::${type}`, id: type }));
  const names = { buckets: ['S3::Bucket'], apis: ['ApiGatewayV2::Api'], configurationSets: ['SES::ConfigurationSet'] };
  const rest = { ...names, vaults: ['Backup::BackupVault'], keys: ['KMS::Key'], domains: ['news.example.com'] };
  expect(await readRemains('prod', true)).toEqual({ table: undefined, ...rest });
  account.table = { items: 12, bytes: 2e9 };
  expect(await readRemains('prod', true)).toEqual({
    table: { name: 'DynamoDB::Table', items: 12, bytes: 2e9 },
    ...rest,
  });
  const none = { buckets: [], apis: [], configurationSets: [], vaults: [], keys: [] };
  for (const [stage, hasData] of [
    ['dev', true],
    ['prod', false],
  ] as const)
    expect(await readRemains(stage, hasData)).toEqual({ table: undefined, ...none, domains: rest.domains });
});

const records = recordsOf('news.example.com');

test('writes the records of a domain into the nearest public zone, once', async () => {
  account.zones = { 'example.org': {}, 'example.com': {} };
  const first = await publishRecords({ domain: 'news.example.com', records });
  expect([first.create.length, first.there.length, first.remain.length]).toEqual([6, 0, 0]);
  expect(account.zones['example.org']).toEqual({});
  expect(account.zones['example.com']).toMatchObject({
    'CNAME one._domainkey.news.example.com': ['one.dkim.amazonses.com'],
    'MX mail.news.example.com': ['10 feedback-smtp.eu-central-1.amazonses.com'],
    'TXT _dmarc.news.example.com': ['"v=DMARC1; p=none;"'],
  });
  const again = await publishRecords({ domain: 'news.example.com', records });
  expect([again.create.length, again.there.length]).toEqual([0, 6]);
});

test('leaves what is published at a name, and says which records remain', async () => {
  const zone = {
    'TXT mail.news.example.com': ['"v=spf1 include:other.example ~all"'],
    'TXT _dmarc.news.example.com': ['"v=DMARC1; p=reject;"'],
  };
  account.zones = { 'example.com': zone };
  const plan = await publishRecords({ domain: 'news.example.com', records });
  expect(zone).toMatchObject({
    'TXT mail.news.example.com': ['"v=spf1 include:other.example ~all"'],
    'TXT _dmarc.news.example.com': ['"v=DMARC1; p=reject;"'],
  });
  expect(plan.there.map(({ name }) => name)).toEqual(['_dmarc.news.example.com']);
  expect(publishedLines(plan)).toContain('To publish by hand: TXT mail.news.example.com (there is another value: ');
});

test('names every record where the account has no zone of the domain', async () => {
  account.zones = { 'example.org': {} };
  const { create, remain } = await publishRecords({ domain: 'news.example.com', records });
  expect(create).toEqual([]);
  expect(remain).toHaveLength(6);
});
