import { expect, test, vi } from 'vitest';
import { costLines } from '../../bin/account/cost.ts';
import { deployedOptions } from '../../bin/account/facts.ts';
import { measuredContext, nextOptions, optionLines, splitOptions, takeProfile } from '../../bin/account/options.ts';
import { remainLines } from '../../bin/account/remains.ts';

test('tells context from the other options of cdk deploy', () => {
  expect(
    splitOptions(['-c', 'baseUrl=https://a.example/?x=1', '--require-approval', 'never', '--context=b=2']),
  ).toEqual({
    context: { baseUrl: 'https://a.example/?x=1', b: '2' },
    others: ['--require-approval', 'never'],
  });
});

const deployed = { baseUrl: 'https://mail.example.com', warehouseBuckets: 'a,b', accountConcurrency: '10' };

test('keeps the options of the last deployment', () => {
  expect(nextOptions(deployed, {})).toEqual(deployed);
});

test.each([['--profile', 'ops'], ['--profile=ops']])('takes the profile out of %j %j, for all calls', (...given) => {
  vi.stubEnv('AWS_PROFILE', 'other');
  expect(takeProfile(['--verbose', ...given, '-c', 'a=b'])).toEqual(['--verbose', '-c', 'a=b']);
  expect(process.env.AWS_PROFILE).toBe('ops');
  vi.unstubAllEnvs();
});

test('a deployed stage keeps its concurrency: without a count or an option there is no deployment', () => {
  const unknown = { unknown: "Lambda's concurrency (no)" };
  expect(measuredContext({ known: 1_000 }, true, {})).toEqual({ measuredConcurrency: '1000' });
  expect(measuredContext(unknown, true, { accountConcurrency: '500' })).toEqual({});
  expect(measuredContext(unknown, false, {})).toEqual({});
  expect(() => measuredContext(unknown, true, {})).toThrow('-c accountConcurrency=1000');
});

test('a given option wins, and an empty one is removed', () => {
  const next = nextOptions(deployed, {
    baseUrl: '',
    bedrockModelId: 'model',
    accountConcurrency: '50',
    webhookAllowLoopback: 'true',
  });
  expect(next).toEqual({ warehouseBuckets: 'a,b', bedrockModelId: 'model', accountConcurrency: '50' });
  expect(optionLines(deployed, next)).toEqual([
    '- baseUrl=https://mail.example.com',
    '+ bedrockModelId=model',
    '  warehouseBuckets=a,b',
    '~ accountConcurrency=50',
  ]);
});

test('knows the options of a deployed stage, and that an earlier version did not tell them', () => {
  const stack = (outputs: Record<string, string>) => ({ data: { status: 'CREATE_COMPLETE', outputs } });
  expect(deployedOptions(stack({ Options: JSON.stringify(deployed) }))).toEqual(deployed);
  expect(deployedOptions(stack({}))).toBeUndefined();
  expect(deployedOptions({})).toBeUndefined();
});

test("an idle month costs by what the templates hold, a million emails by the account's plan", () => {
  const alarm = { Type: 'AWS::CloudWatch::Alarm' };
  const templates = [
    { Resources: { a: alarm, b: alarm, c: { Type: 'AWS::Lambda::EventSourceMapping' }, d: { Type: 'AWS::KMS::Key' } } },
    {},
  ];
  expect(costLines(templates, 'ESSENTIALS')).toEqual([
    'An idle month costs about $1.52: 2 alarms $0.20, 1 queues $0.22, 1 keys $1.00, reading the table $0.10.',
    'A million emails cost about $166.00: SES $160.00 (the plan ESSENTIALS), everything else $6.00.',
  ]);
  const firewall = { e: { Type: 'AWS::WAFv2::WebACL' }, f: { Type: 'AWS::SecretsManager::Secret' } };
  expect(costLines([...templates, { Resources: firewall }], 'NONE')[0]).toMatch(/\$9\.92: .*, the firewall \$8\.40\.$/);
  expect(costLines(templates, 'NONE')[1]).toContain('SES $100.00 (no pricing plan)');
});

test('says what stays of a stage, what it costs, and how it is removed', () => {
  const table = { name: 'Table-1', items: 7, bytes: 10e9 };
  const text = remainLines({
    table,
    buckets: ['exports-1'],
    apis: ['api-1'],
    configurationSets: ['mailwright-prod-mail'],
    vaults: ['mailwright-prod-backup'],
    keys: ['key-1'],
    domains: ['news.example.com'],
  }).join('\n');
  expect(text).toContain('The table Table-1 stays, with 7 items: $4.50 a month.');
  expect(text).toContain('aws dynamodb update-table --table-name Table-1 --no-deletion-protection-enabled');
  expect(text).toContain('aws s3 rb --force s3://exports-1');
  expect(text).toContain('aws sesv2 delete-email-identity --email-identity news.example.com');
  expect(text).toContain('aws apigatewayv2 delete-api --api-id api-1');
  expect(text).toContain('delete-configuration-set --configuration-set-name mailwright-prod-mail');
  expect(text).toContain('aws backup delete-backup-vault --backup-vault-name mailwright-prod-backup');
  expect(text).toContain('aws kms schedule-key-deletion --key-id key-1');
  expect(text).toContain('Without it the secrets in the table do not open');
  const none = { buckets: [], apis: [], configurationSets: [], vaults: [], keys: [], domains: [] };
  expect(remainLines(none)).toEqual(['Nothing stays.']);
});
