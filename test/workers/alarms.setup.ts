import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { awsOf } from '../support/stack.ts';
import type { Observed } from './observed.ts';

/** The queues of work and their workers. */
const workers = {
  send: 'send-page',
  sequences: 'send-steps',
  notices: 'handle-notices',
  webhooks: 'deliver-webhook',
  jobs: 'run-job',
  feedback: 'apply-feedback',
};

const queues = Object.keys(workers);
const functions = Object.values(workers);

/** Something that goes wrong, and the alarms that must ring for it, without `mailwright-dev-`. */
export interface Scenario {
  what: string;
  rings: string[];
  /** Options of the stage, as for `cdk -c`. @default none */
  context?: Record<string, string>;
  /** Makes it go wrong on a stack for as long as the alarms need. */
  run(observed: Observed): Promise<void>;
}

/** Puts a message on a queue of the stage. */
async function enqueue({ folder }: Observed, queue: string, body: string): Promise<void> {
  const sqs = new SQSClient(awsOf(folder));
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: `mailwright-dev-${queue}` }));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
}

const unreadable = '{"team_id": ';

export const scenarios: Scenario[] = [
  {
    what: 'messages that no worker can handle',
    rings: [...functions.map((name) => `${name}-failures`), ...queues.map((name) => `${name}-dead-letters`)],
    async run(observed) {
      for (const queue of queues) for (let copy = 0; copy < 3; copy++) await enqueue(observed, queue, unreadable);
      // Five attempts, six minutes apart.
      await observed.pass(32);
    },
  },
];
