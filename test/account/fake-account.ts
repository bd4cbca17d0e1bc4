import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dnsRecords } from '../../shared/domain/teams/dns-records.ts';

/** The records of a domain before its team has proven that it owns it by the TXT record. */
export const recordsOf = (domain: string) =>
  dnsRecords({
    domain,
    dkimTokens: ['one', 'two', 'three'],
    dkimZone: 'dkim.amazonses.com',
    mailFrom: `mail.${domain}`,
    region: 'eu-central-1',
  });

/** An AWS account as far as our command lines ask it, answered in the protocols that AWS documents. */
export interface FakeAccount {
  bootstrap?: number;
  concurrency?: number;
  /** What of it the AI function of prod has reserved; absent: it is not deployed. */
  reserved?: number;
  mail?: object;
  /** Stacks by name: their status and outputs. */
  stacks: Record<string, { status: string; outputs: Record<string, string>; unprotected?: boolean }>;
  resources: { type: string; id: string }[];
  table?: { items: number; bytes: number };
  ringing: string[];
  subscribers: { confirmed: number; pending: number };
  domains: Record<string, boolean>;
  /** Messages a day. */
  sent: number[];
  /** Public hosted zones by name, each with its record sets by `TYPE name`. */
  zones: Record<string, Record<string, string[]>>;
  /** Operations that the credentials may not call. */
  denied: string[];
}

/** An account in which everything is fine. */
export const healthyAccount = (): FakeAccount => ({
  bootstrap: 21,
  concurrency: 1_000,
  mail: {
    ProductionAccessEnabled: true,
    SendingEnabled: true,
    EnforcementStatus: 'HEALTHY',
    SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 100 },
    PricingAttributes: { CurrentPlan: 'ESSENTIALS' },
  },
  stacks: {},
  resources: [],
  ringing: [],
  subscribers: { confirmed: 1, pending: 0 },
  domains: { 'news.example.com': true },
  sent: [1_000, 2_000],
  zones: {},
  denied: [],
});

interface Call {
  service: string;
  operation: string;
  method: string;
  url: URL;
  body: string;
  form: URLSearchParams;
}

type Answer = [status: number, body: string | object];

const refused = (code: string, message: string): Answer => [
  400,
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
];
const query = (operation: string, result: string): Answer => [
  200,
  `<${operation}Response><${operation}Result>${result}</${operation}Result></${operation}Response>`,
];
const members = (items: readonly string[]) => items.map((item) => `<member>${item}</member>`).join('');
const element = (values: Record<string, string | number | boolean>) =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${String(value).replaceAll('"', '&quot;')}</${name}>`)
    .join('');

const answers: Record<string, (account: FakeAccount, call: Call) => Answer> = {
  'sts GetCallerIdentity': () =>
    query('GetCallerIdentity', element({ Account: '123456789012', Arn: 'arn:aws:iam::123456789012:user/ops' })),
  'cloudformation DescribeStacks': ({ stacks }, { form }) => {
    const name = form.get('StackName')!;
    const stack = stacks[name];
    if (!stack) return refused('ValidationError', `Stack with id ${name} does not exist`);
    const outputs = Object.entries(stack.outputs).map(([OutputKey, OutputValue]) =>
      element({ OutputKey, OutputValue }),
    );
    const facts = element({ StackId: name, StackName: name, StackStatus: stack.status });
    const shown = `${facts}<Outputs>${members(outputs)}</Outputs>`;
    return query('DescribeStacks', `<Stacks>${members([shown])}</Stacks>`);
  },
  'cloudformation DescribeStackResources': ({ resources }) => {
    const shown = resources.map(({ type, id }) => element({ ResourceType: type, PhysicalResourceId: id }));
    return query('DescribeStackResources', `<StackResources>${members(shown)}</StackResources>`);
  },
  'cloudformation UpdateTerminationProtection': ({ stacks }, { form }) => {
    stacks[form.get('StackName')!]!.unprotected = form.get('EnableTerminationProtection') === 'false';
    return query('UpdateTerminationProtection', element({ StackId: form.get('StackName')! }));
  },
  'cloudformation GetTemplate': () => query('GetTemplate', element({ TemplateBody: '{}' })),
  'ssm GetParameter': ({ bootstrap }) =>
    bootstrap === undefined
      ? [400, { __type: 'ParameterNotFound' }]
      : [200, { Parameter: { Name: '/cdk-bootstrap/hnb659fds/version', Value: String(bootstrap) } }],
  'lambda /2016-08-19/account-settings': ({ concurrency = 0, reserved = 0 }) => [
    200,
    { AccountLimit: { ConcurrentExecutions: concurrency, UnreservedConcurrentExecutions: concurrency - reserved } },
  ],
  'lambda /2019-09-30/functions/mailwright-prod-ai/concurrency': ({ reserved }) =>
    reserved === undefined
      ? [404, { Type: 'User', Code: 'ResourceNotFoundException', __type: 'ResourceNotFoundException' }]
      : [200, reserved === 0 ? {} : { ReservedConcurrentExecutions: reserved }],
  'lambda /2015-03-31/functions/mailwright-prod-operate/invocations': (_, { body }) => {
    const { domain } = JSON.parse(body);
    return [200, { domain, status: 'pending', records: recordsOf(domain) }];
  },
  'ses /v2/email/account': ({ mail }) => [200, mail!],
  'ses /v2/email/list-identities': ({ domains }) => [
    200,
    {
      EmailIdentities: Object.entries(domains).map(([IdentityName, SendingEnabled]) => ({
        IdentityType: 'DOMAIN',
        IdentityName,
        SendingEnabled,
      })),
    },
  ],
  'monitoring DescribeAlarms': ({ ringing }) => [200, { MetricAlarms: ringing.map((AlarmName) => ({ AlarmName })) }],
  'monitoring GetMetricStatistics': ({ sent }) => [200, { Datapoints: sent.map((Sum) => ({ Sum })) }],
  'sns GetTopicAttributes': ({ subscribers: { confirmed, pending } }) => {
    const entry = (key: string, value: number) => `<entry>${element({ key, value })}</entry>`;
    const entries = entry('SubscriptionsConfirmed', confirmed) + entry('SubscriptionsPending', pending);
    return query('GetTopicAttributes', `<Attributes>${entries}</Attributes>`);
  },
  'dynamodb DescribeTable': ({ table }) =>
    table
      ? [200, { Table: { ItemCount: table.items, TableSizeBytes: table.bytes } }]
      : [400, { __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', message: 'not found' }],
  'route53 /2013-04-01/hostedzonesbyname': ({ zones }, { url }) => {
    // Route 53 begins at the name and goes on in the order of reversed labels; a zone with that name comes first.
    const asked = url.searchParams.get('dnsname')!;
    const order = Object.keys(zones).sort((one, other) => Number(other === asked) - Number(one === asked));
    const shown = order.map(
      (name) => `<HostedZone>${element({ Id: `/hostedzone/${name}`, Name: `${name}.` })}</HostedZone>`,
    );
    return [
      200,
      `<ListHostedZonesByNameResponse><HostedZones>${shown.join('')}</HostedZones></ListHostedZonesByNameResponse>`,
    ];
  },
  'route53 GET rrset': ({ zones }, { url }) => {
    const [name, type] = [url.searchParams.get('name')!, url.searchParams.get('type')!];
    const values = zones[url.pathname.split('/')[3]!]![`${type} ${name}`] ?? [];
    const records = values.map((Value) => `<ResourceRecord>${element({ Value })}</ResourceRecord>`).join('');
    const set = `${element({ Name: `${name}.`, Type: type })}<ResourceRecords>${records}</ResourceRecords>`;
    const list = values.length > 0 ? `<ResourceRecordSet>${set}</ResourceRecordSet>` : '';
    const sets = `<ResourceRecordSets>${list}</ResourceRecordSets>`;
    return [200, `<ListResourceRecordSetsResponse>${sets}</ListResourceRecordSetsResponse>`];
  },
  'route53 POST rrset': ({ zones }, { url, body }) => {
    const zone = zones[url.pathname.split('/')[3]!]!;
    const read = (part: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(part)![1]!;
    for (const [part] of body.matchAll(/<Change>.*?<\/Change>/gs)) {
      const key = `${read(part, 'Type')} ${read(part, 'Name')}`;
      if (zone[key]) return refused('InvalidChangeBatch', `${key} exists`);
      zone[key] = [read(part, 'Value').replaceAll('&quot;', '"')];
    }
    return [
      200,
      '<ChangeResourceRecordSetsResponse><ChangeInfo><Id>1</Id></ChangeInfo></ChangeResourceRecordSetsResponse>',
    ];
  },
};

function readCall(request: IncomingMessage, body: string): Call {
  const [, service = ''] = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
  const url = new URL(request.url!, 'http://aws');
  const form = new URLSearchParams(body);
  const [, target] = String(request.headers['x-amz-target'] ?? '').split('.');
  const path = /\/rrset\/?$/.test(url.pathname) ? `${request.method} rrset` : url.pathname.replace(/(.)\/$/, '$1');
  return { service, operation: target ?? form.get('Action') ?? path, method: request.method!, url, body, form };
}

/** Serves an account on the loopback; `calls` lists what was called, as `service operation`. */
export async function serveAccount(account: FakeAccount): Promise<{ url: string; calls: string[]; server: Server }> {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const call = readCall(request, body);
    const name = `${call.service} ${call.operation}`;
    calls.push(name);
    const answer = answers[name];
    const [status, content] =
      !answer || account.denied.includes(call.operation)
        ? ([
            403,
            call.service === 'ses' || call.service === 'lambda'
              ? { message: `no ${name}` }
              : refused('AccessDenied', `no ${name}`)[1],
          ] as Answer)
        : answer(account, call);
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    response.writeHead(status, { 'content-type': typeof content === 'string' ? 'text/xml' : 'application/json' });
    response.end(text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, server };
}

/** The environment in which the SDK calls nobody but the account at `url`. */
export const environmentOf = (url: string): Record<string, string> => ({
  AWS_ENDPOINT_URL: url,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_MAX_ATTEMPTS: '1',
  CDK_NOTICES: 'false',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  CDK_DISABLE_VERSION_CHECK: 'true',
});
