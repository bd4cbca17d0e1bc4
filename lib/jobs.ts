import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as InvokeFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { Campaigns } from './campaigns.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { readSendingAccount } from './mail-grants.ts';
import { resourceName } from './stage.ts';
import type { Webhooks } from './webhooks.ts';

/** What jobs start and watch. */
export interface JobTargets {
  campaigns: Campaigns;
  webhooks: Webhooks;
  domainEvents: WorkQueue;
  sequences: WorkQueue;
}

/** Adds the worker that runs every minute: it runs the jobs that are due and starts stalled work again. */
export function addJobs(scope: Construct, data: DataStack, targets: JobTargets): void {
  const { stage, operators } = data;
  const { workflow } = targets.campaigns;
  const { retries } = targets.webhooks;
  const reconcile = new ServiceFunction(scope, 'reconcile', {
    stage,
    grants: [
      data.items,
      workflow.start,
      workflow.watch,
      retries.start,
      retries.watch,
      readSendingAccount(),
      targets.domainEvents.enqueue,
      targets.sequences.enqueue,
    ],
    timeout: Duration.seconds(60),
    errorAlarm: {
      operators,
      impact:
        'Work that stalled is not picked up: scheduled campaigns may start late and interrupted ones stay unfinished.',
    },
  });
  new Rule(scope, 'EveryMinute', {
    ruleName: resourceName(stage, 'reconcile'),
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new InvokeFunction(reconcile.lambda, { retryAttempts: 0 })],
  });
}
