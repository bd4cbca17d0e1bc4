import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keptOptions } from '../../lib/options.ts';
import { lastRelease, linesOf } from './release.ts';
import { Synthesized } from './synthesized.ts';

/** Every option that `-c` takes, with a value; what a pair of them does shows alone, without any, or with all. */
const options: Record<string, string> = {
  accountConcurrency: '100',
  backupCopyTo: 'arn:aws:backup:eu-west-1:111122223333:backup-vault:copies',
  canary: 'true',
  customerKey: 'true',
  firewall: 'true',
  firewallAcl: 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/ours/0a1b',
  firewallCertificate: 'arn:aws:acm:us-east-1:111122223333:certificate/0a1b',
  baseUrl: 'https://mail.example.com',
  bedrockModelId: 'amazon.nova-lite-v1:0',
  measuredConcurrency: '200',
  monthlyBudget: '500',
  region: 'eu-west-1',
  version: 'v2',
  warehouseBuckets: 'acme-exports',
  warehouseDatabases: 'crm',
  warehouseScanLimitGb: '50',
  webhookAllowLoopback: 'true',
};
/** Options without which one is refused. */
const needed: Record<string, Record<string, string>> = {
  firewall: { baseUrl: options.baseUrl!, firewallCertificate: options.firewallCertificate! },
};
const sets: Record<string, string>[] = [
  {},
  options,
  ...Object.entries(options).map(([name, value]) => ({ [name]: value, ...needed[name] })),
];
const deployments = await Promise.all(
  sets.map(async (set) => ({
    options: Object.keys(set).join(' and ') || 'no option',
    app: await Synthesized.stage('prod', undefined, set),
  })),
);

/** The API and the key of a route, of its line. */
const routed = (line: string): string | undefined => /^Api AWS::ApiGatewayV2::Route \w+ (.+)/.exec(line)?.[1];

// A line leaves release.txt only with a plan for the deployed stages: CONTRIBUTING.md, A change of the infrastructure.
test.each([...deployments, { options: 'no option, as dev', app: await Synthesized.stage('dev') }])(
  'keeps what holds data, has an address or is exported since the last release, with $options',
  ({ app }) => {
    const lines = new Set(linesOf(app));
    const routes = new Set([...lines].flatMap((line) => routed(line) ?? []));
    expect(lastRelease().length).toBeGreaterThan(200);
    // CloudFormation makes the route of all methods before it removes those of each.
    const kept = (line: string) => lines.has(line) || routes.has(routed(line)?.replace(/"[A-Z]+ /, '"ANY ') ?? '');
    expect(lastRelease().filter((line) => !kept(line))).toEqual([]);
  },
);

test('exports with every pair of options what a stack that was deployed with others imports', () => {
  const imported = new Set(deployments.flatMap(({ app }) => [...app.imports]));
  expect(imported.size).toBeGreaterThan(10);
  for (const { options, app } of deployments) {
    const exported = app.outputs.map(({ exportName }) => exportName);
    expect(
      [...imported].filter((name) => !exported.includes(name)),
      options,
    ).toEqual([]);
  }
});

test('tries every option of the app', () => {
  const sources = globSync('lib/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const read = sources.flatMap((text) => [...text.matchAll(/tryGetContext\('(\w+)'\)/g)].map(([, name]) => name));
  expect([...read.filter((name) => name !== 'stage'), ...keptOptions].sort()).toEqual(Object.keys(options).sort());
});
