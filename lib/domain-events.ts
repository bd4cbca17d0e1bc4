import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { QueueWorker } from './constructs/queue-worker.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { readSendingAccount } from './mail-grants.ts';
import type { Webhooks } from './webhooks.ts';

/** Adds the queue of domain events: what changed in a team's records, for those who react to it. */
export function addDomainEventQueue(scope: Construct, { stage, operators }: DataStack): WorkQueue {
  return new WorkQueue(scope, 'notices', {
    stage,
    operators,
    variable: 'NOTICE_QUEUE_URL',
    oldestMessage: Duration.minutes(30),
    deadLetters: {
      impact: 'People who signed up or were invited got no message, and webhooks were not called.',
      action: 'Find the error in the log of handle-notices, fix it, then redrive the queue.',
      runbook: 'domain-events-in-the-dead-letter-queue',
    },
    delay: {
      impact: 'Confirmation messages, invitations and webhooks come late.',
      action: "Compare the account's send rate and daily quota with what is queued.",
      runbook: 'domain-events-are-slow',
    },
  });
}

/** Adds the worker that reacts to domain events: it sends messages, starts sequences and calls webhooks. */
export function addDomainEventHandler(
  domainEvents: WorkQueue,
  data: DataStack,
  { sequences, webhooks }: { sequences: WorkQueue; webhooks: Webhooks },
): void {
  new QueueWorker(domainEvents, 'handle-notices', {
    stage: data.stage,
    grants: [
      data.items({ platform: true, deletes: 'items' }),
      data.secrets('signing'),
      data.mail.sendDirect,
      readSendingAccount(),
      webhooks.queue.enqueue,
      sequences.enqueue,
      domainEvents.enqueue,
    ],
    environment: { BASE_URL: data.baseUrl },
    batchSize: 10,
    errorAlarm: { operators: data.operators, impact: 'Confirmation messages, invitations and webhooks come late.' },
  });
}
