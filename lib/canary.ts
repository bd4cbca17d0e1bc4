import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as InvokeFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { OperatorAlarm } from './constructs/operator-alarm.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { DataStack } from './data.ts';
import { resourceName } from './stage.ts';

/** Adds the function that sends one message through the API every five minutes and looks for the one before. */
export function addCanary(scope: Construct, { stage, operators, baseUrl, canaryItem }: DataStack): void {
  const every = Duration.minutes(5);
  const canary = new ServiceFunction(scope, 'canary', {
    stage,
    grants: [canaryItem],
    timeout: Duration.seconds(60),
    memoryMb: 256,
    environment: { BASE_URL: baseUrl },
  });
  // The next run does what this one did not.
  canary.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: every });
  new Rule(scope, 'EveryFiveMinutes', {
    ruleName: resourceName(stage, 'canary'),
    schedule: Schedule.rate(every),
    targets: [new InvokeFunction(canary.lambda, { retryAttempts: 0 })],
  });
  new OperatorAlarm(canary, 'canary', {
    stage,
    operators,
    metric: canary.logged('CanaryDelivered', 'max', every),
    comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    periods: 3,
    missing: TreatMissingData.BREACHING,
    impact: 'A message that is sent through the API does not reach its mailbox, or its delivery is not reported.',
    action: 'Find out from the log of canary whether the API refused it, and look for alarms on feedback.',
    runbook: 'the-canary-is-silent',
  });
}
