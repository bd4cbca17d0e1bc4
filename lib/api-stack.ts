import { type App, CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import { HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { catalogue, type Folder, pages } from '../functions/catalogue.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { DataStack } from './data-stack.ts';
import type { PipelineStack } from './pipeline-stack.ts';
import {
  addSendingDomains,
  callWebhooks,
  enqueue,
  invokeModel,
  type Right,
  readSendingAccount,
  readSendingDomains,
  removeSendingDomains,
  sendDirectMail,
  startCampaigns,
  tableItems,
} from './rights.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** What a resource folder needs beyond reading and writing the table. */
interface Needs {
  rights?: Right[];
  memoryMb?: number;
}

/** Lambda gives a function of this size one processor: a preview or an estimate may unpack every contact of the team, a report every open of a campaign. */
const wholeProcessor = 1_769;

/** The API: one function per resource folder, one route per endpoint of the catalogue. */
export class ApiStack extends Stack {
  private readonly stage: StageSettings;
  private readonly data: DataStack;

  constructor(app: App, stage: StageSettings, data: DataStack, pipeline: PipelineStack) {
    super(app, 'Api', {
      stackName: resourceName(stage, 'api'),
      description: `Mailwright ${stage.name}: the functions and routes of the API.`,
    });
    this.stage = stage;
    this.data = data;
    const notices = enqueue(pipeline.notices, 'NOTICE_QUEUE_URL');
    const webhooks = enqueue(pipeline.webhooks, 'WEBHOOK_QUEUE_URL');
    const needs: Partial<Record<Folder, Needs>> = {
      ai: { rights: stage.bedrockModelId ? [invokeModel(stage.bedrockModelId)] : [], memoryMb: 1024 },
      campaigns: {
        rights: [
          startCampaigns(pipeline.workflow.stateMachine),
          notices,
          readSendingDomains(),
          sendDirectMail(data.directConfigurationSet),
          readSendingAccount(),
        ],
        memoryMb: wholeProcessor,
      },
      contacts: { rights: [notices], memoryMb: 1024 },
      events: { rights: [notices, webhooks], memoryMb: 1024 },
      webhooks: { rights: [webhooks, callWebhooks(stage)] },
      lists: { rights: [notices] },
      tags: { rights: [notices] },
      send: {
        rights: [readSendingDomains(), sendDirectMail(data.directConfigurationSet), readSendingAccount()],
      },
      'sending-domains': { rights: [readSendingDomains(), addSendingDomains(), removeSendingDomains()] },
      suppressions: { rights: [notices] },
      sequences: {
        rights: [notices, enqueue(pipeline.sequences, 'SEQUENCE_QUEUE_URL'), readSendingDomains()],
      },
      segments: { memoryMb: wholeProcessor },
      waitlists: { rights: [notices] },
    };

    for (const [folder, endpoints] of Object.entries(catalogue)) {
      const routes = Object.values(endpoints).map(({ method, path }) =>
        HttpRouteKey.with(`/v1${path}`, HttpMethod[method]),
      );
      this.addFunction(folder, routes, needs[folder as Folder]);
    }
    this.addFunction(
      'pages',
      pages.map(({ method, path }) => HttpRouteKey.with(path, HttpMethod[method])),
      { rights: [notices, webhooks], memoryMb: wholeProcessor },
    );
    this.addFunction('fallback', [HttpRouteKey.DEFAULT]);

    new CfnOutput(this, 'BaseUrl', { value: `${data.baseUrl}/v1`, description: 'Where the API answers.' });
  }

  private addFunction(name: string, routes: HttpRouteKey[], needs: Needs = {}): void {
    const served = new ServiceFunction(this, name, {
      stage: this.stage,
      rights: [tableItems(this.data.table), ...(needs.rights ?? [])],
      timeout: Duration.seconds(29),
      memoryMb: needs.memoryMb,
      environment: { BASE_URL: this.data.baseUrl },
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
          'The function checks the API key itself: an authorizer could not answer with the error bodies of the contract.',
      });
    }
  }
}
