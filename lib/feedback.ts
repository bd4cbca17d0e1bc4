import { Duration } from 'aws-cdk-lib';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { QueueWorker } from './constructs/queue-worker.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import type { Webhooks } from './webhooks.ts';

/** Adds the queue of SES events and the worker that applies them. */
export function addFeedback(
  scope: Construct,
  data: DataStack,
  { domainEvents, webhooks }: { domainEvents: WorkQueue; webhooks: Webhooks },
): WorkQueue {
  const { stage, operators } = data;
  const queue = addQueue(scope, data);
  new QueueWorker(queue, 'apply-feedback', {
    stage,
    grants: [
      data.items({ platform: true, deletes: 'items' }),
      data.secrets('signing'),
      domainEvents.enqueue,
      webhooks.queue.enqueue,
    ],
    batchSize: 500,
    // A transaction counts a batch: at a low rate, of a few seconds together.
    batchingWindow: Duration.seconds(5),
    errorAlarm: { operators, impact: 'Reports lag, and addresses that bounced or complained are suppressed late.' },
  });
  data.mail.feedback.addSubscription(new SqsSubscription(queue.queue));
  return queue;
}

function addQueue(scope: Construct, { stage, operators }: DataStack): WorkQueue {
  return new WorkQueue(scope, 'feedback', {
    stage,
    operators,
    retention: Duration.days(14),
    oldestMessage: Duration.minutes(15),
    deadLetters: {
      impact: 'Deliveries, bounces or complaints are missing from reports, and a bounced address may be mailed again.',
      action: 'Find the error in the log of apply-feedback, fix it, then redrive the queue.',
      runbook: 'feedback-in-the-dead-letter-queue',
    },
    delay: {
      impact: 'Reports lag, and addresses that bounced or complained are suppressed late.',
      action: 'Look for throttling and errors in the log of apply-feedback.',
      runbook: 'feedback-is-slow',
    },
  });
}
