import { type App, CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import { HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { catalogue, type Folder, pages } from '../functions/catalogue.ts';
import { addFirewall } from './access/firewall.ts';
import { indexNames, type TableRights } from './access/table-grants.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { aiTools } from './copywriting.ts';
import { addDashboard } from './dashboard.ts';
import type { DataStack } from './data.ts';
import type { Grant } from './grants.ts';
import { addSendingDomains, readSendingAccount, readSendingDomains, removeSendingDomains } from './mail-grants.ts';
import type { PipelineStack } from './pipeline.ts';
import { stackProps } from './stage.ts';
import { callWebhooks } from './webhooks.ts';

/** What a function of the API needs beyond reading items and writing them. */
interface Needs {
  grants?: Grant[];
  table?: TableRights;
  memoryMb?: number;
  reservedConcurrency?: number;
}

/**
 * Lambda gives a function of this size one processor: a preview or an estimate may unpack every contact of the team, a
 * report every open of a campaign.
 */
const wholeProcessor = 1_769;

const deletes: TableRights = { deletes: 'items' };
const platformAndDeletes: TableRights = { platform: true, deletes: 'items' };

/** A route for each path: its function knows which methods it has, and says so where another is asked for. */
const anyMethodOf = (paths: readonly string[]): HttpRouteKey[] =>
  [...new Set(paths)].map((path) => HttpRouteKey.with(path, HttpMethod.ANY));

/** The API: one function per resource folder, one route per path of the catalogue. */
export class ApiStack extends Stack {
  private readonly data: DataStack;
  /** What every function of the API knows. */
  private readonly shared: Record<string, string>;

  constructor(app: App, data: DataStack, pipeline: PipelineStack) {
    super(app, 'Api', stackProps(data.stage, 'api', 'the functions and routes of the API.'));
    this.data = data;
    this.shared = { BASE_URL: data.baseUrl, ...this.firewallOf(data) };
    const needs = needsOf(data, pipeline);
    for (const [folder, endpoints] of Object.entries(catalogue)) {
      const paths = Object.values(endpoints).map(({ path }) => `/v1${path}`);
      this.addFunction(folder, anyMethodOf(paths), needs[folder as Folder]);
    }
    this.addFunction('pages', anyMethodOf(pages.map(({ path }) => path)), needs.pages);
    this.addFunction('fallback', [HttpRouteKey.DEFAULT]);
    addDashboard(this, { stage: data.stage, tableName: data.tableName, indexNames, pipeline });
    new CfnOutput(this, 'BaseUrl', { value: `${data.baseUrl}/v1`, description: 'Where the API answers.' });
  }

  /** Adds the firewall, where there is one; returns what the functions know of it, and change together with it. */
  private firewallOf({ stage, api }: DataStack): Record<string, string> {
    const { firewall } = stage;
    if (!firewall) return {};
    const apiHost = `${api.apiId}.execute-api.${this.region}.amazonaws.com`;
    const { domainName: value, environment } = addFirewall(this, { stage, apiHost, firewall });
    const description = `What the name ${firewall.domainName} leads to (CNAME).`;
    new CfnOutput(this, 'FirewallDomainName', { value, description });
    return environment;
  }

  private addFunction(name: string, routes: HttpRouteKey[], needs: Needs = {}): void {
    const served = new ServiceFunction(this, name, {
      stage: this.data.stage,
      grants: [this.data.items(needs.table), ...(needs.grants ?? [])],
      timeout: Duration.seconds(29),
      memoryMb: needs.memoryMb,
      reservedConcurrency: needs.reservedConcurrency,
      environment: this.shared,
    });
    const integration = new HttpLambdaIntegration(name, served.lambda, {
      // One permission per function instead of one per route; `$default` has an ARN of another shape and keeps its own.
      scopePermissionToRoute: routes.includes(HttpRouteKey.DEFAULT),
    });
    for (const routeKey of routes) {
      const route = new HttpRoute(this, routeKey.key, { httpApi: this.data.api, routeKey, integration });
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          'The function checks the API key itself: an authorizer could not answer with the errors of the contract.',
      });
    }
  }
}

function needsOf(data: DataStack, pipeline: PipelineStack): Partial<Record<Folder | 'pages', Needs>> {
  const { stage, mail } = data;
  const signs = data.secrets('signing');
  const domainEvents = pipeline.domainEvents.enqueue;
  const webhooks = pipeline.webhooks.queue.enqueue;
  return {
    ai: aiTools(stage),
    'api-keys': { table: { deletes: 'jobs' }, grants: [data.secrets('answers')] },
    'audit-log': { table: { platform: true }, grants: [signs] },
    campaigns: {
      table: platformAndDeletes,
      grants: [
        signs,
        pipeline.campaigns.workflow.start,
        domainEvents,
        readSendingDomains(),
        mail.sendDirect,
        readSendingAccount(),
      ],
      memoryMb: wholeProcessor,
    },
    contacts: { table: platformAndDeletes, grants: [signs, domainEvents], memoryMb: 1024 },
    events: { table: platformAndDeletes, grants: [signs, domainEvents, webhooks], memoryMb: 1024 },
    webhooks: { table: deletes, grants: [data.secrets('webhooks', 'answers'), webhooks, callWebhooks(stage)] },
    lists: { table: deletes, grants: [domainEvents] },
    tags: { table: deletes, grants: [domainEvents] },
    templates: { table: deletes },
    send: {
      table: { platform: true, deletes: 'jobs' },
      grants: [readSendingDomains(), mail.sendDirect, readSendingAccount()],
    },
    'sending-domains': {
      table: deletes,
      grants: [readSendingDomains(), addSendingDomains(stage), removeSendingDomains(stage)],
    },
    suppressions: { table: platformAndDeletes, grants: [signs, domainEvents] },
    sequences: {
      table: platformAndDeletes,
      grants: [domainEvents, pipeline.sequences.enqueue, readSendingDomains(), readSendingAccount()],
    },
    segments: { table: deletes, memoryMb: wholeProcessor },
    waitlists: { table: deletes, grants: [domainEvents] },
    pages: { table: platformAndDeletes, grants: [signs, domainEvents, webhooks], memoryMb: wholeProcessor },
  };
}
