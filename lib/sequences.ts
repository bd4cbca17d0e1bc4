import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { QueueWorker } from './constructs/queue-worker.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { readSendingAccount, readSendingDomains } from './mail-grants.ts';

/** Adds the queue of sequences' shards in which somebody is due, and the worker that sends their steps. */
export function addSequences(scope: Construct, data: DataStack, domainEvents: WorkQueue): WorkQueue {
  const { stage, operators } = data;
  const queue = addQueue(scope, data);
  new QueueWorker(queue, 'send-steps', {
    stage,
    grants: [
      data.items({ platform: true, deletes: 'jobs' }),
      data.secrets('signing'),
      data.mail.sendBulk,
      readSendingAccount(),
      readSendingDomains(),
      domainEvents.enqueue,
      queue.enqueue,
    ],
    environment: { BASE_URL: data.baseUrl },
    batchSize: 10,
    errorAlarm: { operators, impact: 'Steps of sequences come late.' },
  });
  return queue;
}

function addQueue(scope: Construct, { stage, operators }: DataStack): WorkQueue {
  return new WorkQueue(scope, 'sequences', {
    stage,
    operators,
    variable: 'SEQUENCE_QUEUE_URL',
    oldestMessage: Duration.hours(1),
    deadLetters: {
      impact:
        'Steps of a sequence come minutes late: each message is for one shard, which the next sweep queues again.',
      action: 'Find the error in the log of send-steps and fix it.',
      runbook: 'sequence-shards-in-the-dead-letter-queue',
    },
    delay: {
      impact: 'Steps of sequences come over an hour late.',
      action: "Compare the account's send rate and daily quota with what is due.",
      runbook: 'sequences-are-slow',
    },
  });
}
