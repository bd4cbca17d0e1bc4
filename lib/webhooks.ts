import { Duration } from 'aws-cdk-lib';
import { JsonPath } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { QueueWorker } from './constructs/queue-worker.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { StepLoop } from './constructs/step-loop.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { type Grant, handleExecutions, startExecutionsByName } from './grants.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** How webhook endpoints get events. */
export interface Webhooks {
  /** Events on their way to webhook endpoints. */
  queue: WorkQueue;
  /** Further attempts at deliveries that failed: an execution per endpoint. */
  retries: StepLoop;
}

/** Adds the queue of events for webhook endpoints, the worker of first attempts and the workflow of further ones. */
export function addWebhooks(scope: Construct, data: DataStack): Webhooks {
  const retries = addRetries(scope, data);
  const queue = addQueue(scope, data);
  const { stage, operators } = data;
  new QueueWorker(queue, 'deliver-webhook', {
    stage,
    grants: [
      data.items({ platform: true }),
      data.secrets('signing', 'webhooks'),
      retries.start,
      retries.stop,
      callWebhooks(stage),
    ],
    // One message per invocation, so that no event waits for another endpoint's receiver.
    batchSize: 1,
    errorAlarm: { operators, impact: 'Webhook receivers get events late.' },
  });
  return { queue, retries };
}

function addQueue(scope: Construct, { stage, operators }: DataStack): WorkQueue {
  return new WorkQueue(scope, 'webhooks', {
    stage,
    operators,
    variable: 'WEBHOOK_QUEUE_URL',
    oldestMessage: Duration.minutes(15),
    deadLetters: {
      impact: 'Webhook receivers miss events until the queue is redriven.',
      action: 'Find the error in the log of deliver-webhook, fix it, then redrive the queue.',
      runbook: 'webhooks-in-the-dead-letter-queue',
    },
    delay: {
      impact: 'Webhook receivers get events late.',
      action: 'Look for errors in the log of deliver-webhook, and for receivers that are slow.',
      runbook: 'webhooks-are-slow',
    },
  });
}

const workflow = { name: 'webhook', records: 'endpoints', variable: 'WEBHOOK_STATE_MACHINE_ARN' };

function addRetries(scope: Construct, data: DataStack): StepLoop {
  const { stage, operators } = data;
  const { name, records, variable } = workflow;
  const stateMachineName = resourceName(stage, name);
  const retry = new ServiceFunction(scope, 'retry-webhook', {
    stage,
    grants: [
      data.items({ platform: true, deletes: 'items' }),
      data.secrets('signing', 'webhooks'),
      callWebhooks(stage),
      startExecutionsByName(stateMachineName, variable),
      handleExecutions(stateMachineName, records, 'StopExecution'),
    ],
    timeout: Duration.seconds(60),
    errorAlarm: { operators, impact: 'Webhook deliveries that failed are tried again late.' },
  });
  return new StepLoop(scope, name, {
    stage,
    operators,
    step: retry.lambda,
    input: {
      team_id: JsonPath.numberAt('$.team_id'),
      webhook_id: JsonPath.numberAt('$.webhook_id'),
      execution: JsonPath.stringAt('$$.Execution.Name'),
    },
    records,
    variable,
    failure: {
      impact: "An endpoint's webhook deliveries are not tried again until its job starts a new run.",
      action: 'Read the error in the failed execution; if it keeps failing, fix the cause.',
      runbook: 'webhook-failures',
    },
  });
}

/** Call the URLs that customers have registered: no policy is needed, but a setting may allow more addresses. */
export function callWebhooks({ webhookAllowLoopback }: StageSettings): Grant {
  return { statements: [], ...(webhookAllowLoopback && { environment: { WEBHOOK_ALLOW_LOOPBACK: 'true' } }) };
}
