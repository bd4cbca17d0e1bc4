import { execFile } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { environmentOf, type FakeAccount, healthyAccount, serveAccount } from '../account/fake-account.ts';

let account: FakeAccount;
let served: Awaited<ReturnType<typeof serveAccount>>;

beforeEach(async () => {
  account = healthyAccount();
  served = await serveAccount(account);
});

afterEach(() => {
  served.server.close();
});

const noCredentials = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };

function run(program: string, args: string[], more = {}): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, ...environmentOf(served.url), AWS_PROFILE: '', ...more };
  return new Promise((done) => {
    execFile(
      process.execPath,
      ['bin/run.mjs', `bin/${program}.ts`, ...args],
      { env, maxBuffer: 1e8 },
      (error, out, err) => done({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

const stack = (outputs: Record<string, string> = {}) => ({ status: 'UPDATE_COMPLETE', outputs });

function deployProd(options: Record<string, string> = {}): void {
  account.stacks = {
    'mailwright-prod-data': stack({ Version: 'v1', Options: JSON.stringify(options) }),
    'mailwright-prod-pipeline': stack(),
    'mailwright-prod-api': stack({ BaseUrl: 'https://api.example.com/v1' }),
  };
}

test.each(['deploy', 'status', 'destroy'])('%s says in one sentence that there are no credentials', async (program) => {
  const { code, out, err } = await run(program, ['--stage', 'prod'], noCredentials);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^No AWS credentials that work .*: sign in with "aws sso login" or set AWS_PROFILE\.\n$/);
});

test('deploy ends before the synthesis where the account cannot take it, and says what to do', async () => {
  account.bootstrap = undefined;
  const { code, out, err } = await run('deploy', ['--stage', 'prod']);
  expect([code, err]).toEqual([1, '\nNothing was deployed.\n']);
  expect(out).toContain('✗ The CDK is not bootstrapped in this account and region.');
  expect(out).toContain('npx cdk bootstrap aws://123456789012/eu-central-1');
  expect(out).not.toContain('Options');
});

test('deploy --check shows limits, kept options and costs, and changes nothing', async () => {
  deployProd({ baseUrl: 'https://mail.example.com', accountConcurrency: '1000' });
  account.concurrency = 100;
  const { code, out } = await run('deploy', ['--stage', 'prod', '--check', '--', '-c', 'bedrockModelId=model-1']);
  expect(code).toBe(0);
  expect(out).toContain('Stage prod in account 123456789012, eu-central-1: deployed, version v1');
  expect(out).toContain('! Lambda runs 100 functions at once');
  expect(out).toContain('    baseUrl=https://mail.example.com');
  expect(out).toContain('  + bedrockModelId=model-1');
  expect(out).toContain('    accountConcurrency=1000');
  expect(out).toMatch(/An idle month costs about \$\d+\.\d\d: \d\d alarms/);
  expect(out).toContain('A million emails cost about $166.00: SES $160.00 (the plan ESSENTIALS)');
  expect(served.calls.filter((call) => /Create|Update|Execute|Subscribe/.test(call))).toEqual([]);
});

test('status ends well where nothing is missing, and names version, options and what it found', async () => {
  deployProd({ baseUrl: 'https://mail.example.com' });
  const { code, out, err } = await run('status', ['--stage', 'prod']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('Version  v1');
  expect(out).toContain('baseUrl=https://mail.example.com');
  expect(out).toContain('✓ Verified sending domains: 1.');
});

test('status ends with 1 for a stage whose alarms reach nobody, and for one that is not there', async () => {
  deployProd();
  account.subscribers.confirmed = 0;
  const { code, out } = await run('status', ['--stage', 'prod']);
  expect(code).toBe(1);
  expect(out).toContain('✗ Alarms reach nobody.');
  expect(await run('status', ['--stage', 'none'])).toMatchObject({
    code: 1,
    err: 'There is no stage none in account 123456789012, eu-central-1.\n',
  });
});

test.each([[[]], [['--yes', 'dev']]])(
  'destroy %j says what stays, and removes nothing without the name',
  async (args) => {
    deployProd();
    account.resources = [
      { type: 'AWS::DynamoDB::Table', id: 'Table-1' },
      { type: 'AWS::S3::Bucket', id: 'exports-1' },
    ];
    account.table = { items: 12, bytes: 2e9 };
    const { code, out, err } = await run('destroy', ['--stage', 'prod', ...args]);
    expect(code).toBe(1);
    expect(out).toContain('The table Table-1 stays, with 12 items: $0.90 a month.');
    expect(err).toBe("Nothing was removed: confirm with the stage's name (--yes prod).\n");
    expect(served.calls.filter((call) => /Delete/.test(call))).toEqual([]);
  },
);

test('domain add --publish prints the records, and writes them into the zone of the account', async () => {
  account.zones = { 'example.com': { 'TXT _dmarc.news.example.com': ['"v=DMARC1; p=reject;"'] } };
  const args = ['domain', 'add', '--team', '1', '--domain', 'news.example.com', '--publish'];
  const { code, out } = await run('admin', [...args, '--stage', 'prod']);
  expect(code).toBe(0);
  expect(out).toContain('Published in Route 53: CNAME one._domainkey.news.example.com');
  expect(out).toContain('There already: TXT _dmarc.news.example.com');
  expect(Object.keys(account.zones['example.com']!)).toHaveLength(6);
  expect(await run('admin', args)).toMatchObject({ code: 1, err: expect.stringContaining('--publish needs --stage') });
});

test('deploy lets the CDK delete a stack whose creation failed, and no other, once it deploys', async () => {
  deployProd();
  delete account.stacks['mailwright-prod-api'];
  account.stacks['mailwright-prod-pipeline'] = { status: 'ROLLBACK_COMPLETE', outputs: {} };
  const { out } = await run('deploy', ['--stage', 'prod', '--yes']);
  expect(out).toContain(
    'The creation of the stack pipeline failed (ROLLBACK_COMPLETE): it is deleted and created again.',
  );
  const unprotected = Object.keys(account.stacks).filter((name) => account.stacks[name]!.unprotected);
  expect(unprotected).toEqual(['mailwright-prod-pipeline']);
});

test('deploy goes on with a stack that --no-rollback stopped half-way, or says how to roll it back', async () => {
  deployProd();
  account.stacks['mailwright-prod-api'] = { status: 'CREATE_FAILED', outputs: {} };
  const stopped = await run('deploy', ['--stage', 'prod', '--yes']);
  expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining('stack api was stopped half-way')]);
  expect(stopped.err).toContain('with the same -c options as before');
  expect(stopped.err).toContain('rollback-stack --retain-except-on-create --stack-name mailwright-prod-api');
  const resumed = await run('deploy', ['--stage', 'prod', '--check', '--', '--no-rollback']);
  expect(resumed.code).toBe(0);
  expect(Object.values(account.stacks).filter(({ unprotected }) => unprotected)).toEqual([]);
});

test('deploy --check of a new stage says how much it creates', async () => {
  const { code, out } = await run('deploy', ['--stage', 'new', '--check']);
  expect(code).toBe(0);
  expect(out).toContain('not deployed yet');
  expect(out).toMatch(/Creates [23]\d\d resources in 3 stacks\./);
});

test('deploy shows what changes before it deploys, and fails when the CDK does', async () => {
  deployProd();
  const { code, out, err } = await run('deploy', ['--stage', 'prod', '--yes']);
  const shown = `${out}${err}`;
  expect(shown).toContain('Stack Data (mailwright-prod-data)');
  // The account has no bucket for the CDK's assets.
  expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([1, '"cdk deploy" failed.']);
  expect(shown).not.toContain('answers at');
});
