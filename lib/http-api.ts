import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { OperatorAlarm } from './constructs/operator-alarm.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** Adds the API's address, to which mailed links lead: its limits, access log and alarm; the routes come later. */
export function addHttpApi(scope: Construct, props: { stage: StageSettings; operators: Topic }): HttpApi {
  const { stage } = props;
  const api = new HttpApi(scope, 'Api', { apiName: resourceName(stage, 'api'), createDefaultStage: false });
  const apiStage = new HttpStage(scope, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    // API keys have their own limits; this one protects the account from a flood.
    throttle: { rateLimit: 2000, burstLimit: 4000 },
    accessLogSettings: {
      destination: new LogGroupLogDestination(addAccessLog(scope, stage)),
      // The route, not the path: paths hold email addresses and unsubscribe tokens.
      format: AccessLogFormat.custom(
        JSON.stringify({
          request_id: '$context.requestId',
          time: '$context.requestTimeEpoch',
          method: '$context.httpMethod',
          route: '$context.routeKey',
          status: '$context.status',
          latency_ms: '$context.responseLatency',
          response_bytes: '$context.responseLength',
          error: '$context.integrationErrorMessage',
        }),
      ),
    },
  });
  for (const address of [api, apiStage]) address.applyRemovalPolicy(stage.dataRemoval);
  new OperatorAlarm(scope, 'api-errors', {
    ...props,
    metric: api.metricServerError({ period: Duration.minutes(5), statistic: 'sum' }),
    threshold: 5,
    impact: 'API requests fail with 5xx.',
    action: "Find the failing route in the access log, then its function's log by request id.",
    runbook: 'api-errors',
  });
  return api;
}

function addAccessLog(scope: Construct, stage: StageSettings): LogGroup {
  return new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/vendedlogs/${resourceName(stage, 'access')}`,
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
