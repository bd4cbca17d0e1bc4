import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dueJob } from '../../shared/data/due-jobs.ts';
import { ended, readyCampaign, rows } from '../support/campaign.ts';
import { operate } from '../support/operate.ts';
import { awsOf } from '../support/stack.ts';
import { rawTable } from '../support/table.ts';
import { newTeam, type Team } from '../support/team.ts';
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
const steps = ['advance-campaign', 'retry-webhook'];
const workflows = ['campaign', 'webhook'];
/** What only AWS itself measures: its rate of each alarm while all is well, and when it is not. */
const ofAwsAlone: Record<string, [well: number, ill: number]> = {
  'bounce-rate': [0.01, 0.05],
  'complaint-rate': [0.0001, 0.001],
  'function-throttles': [0, 10],
  'gsi1-read-throttles': [0, 50],
  'gsi1-write-throttles': [0, 50],
  'gsi2-read-throttles': [0, 50],
  'gsi2-write-throttles': [0, 50],
};

/** Something that goes wrong, and the alarms that must ring for it, without `mailwright-dev-`. */
export interface Scenario {
  what: string;
  rings: string[];
  /** Alarms that do not see it, and are therefore not enough. */
  silent?: string[];
  /** Prepares the assembly that its stack runs, in a folder. @default the setup's */
  assembly?(folder: string): void;
  /** What its stack is synthesized with, as for `cdk -c`. */
  context?: Record<string, string>;
  /** What goes well before, for as long as the alarms look back. */
  before?(observed: Observed): Promise<void>;
  /** Makes it go wrong on a stack for as long as the alarms need. */
  run(observed: Observed): Promise<void>;
}

const fail = (observed: Observed, fault: { service: string; operation: string; error: string; count?: number }) =>
  observed.control('POST', '/faults', fault);
const unreachable = { service: 'dynamodb', error: 'InternalServerError' };

/** Puts a message on a queue of the stage. */
async function enqueue({ folder }: Observed, queue: string, body: string): Promise<void> {
  const sqs = new SQSClient(awsOf(folder));
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: `mailwright-dev-${queue}` }));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
}

/** Starts an execution of a state machine; returns a function that tells its status. */
async function execute({ folder }: Observed, machine: string, input: object): Promise<() => Promise<string>> {
  const states = new SFNClient(awsOf(folder));
  const stateMachineArn = `arn:aws:states:us-east-1:000000000000:stateMachine:mailwright-dev-${machine}`;
  const start = new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) });
  const { executionArn } = await states.send(start);
  return async () => (await states.send(new DescribeExecutionCommand({ executionArn }))).status!;
}

/** Requests of a team that are answered with 5xx, of so many. */
async function failedRequests(team: Team, count: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => team.api('GET', '/me')));
  return answers.filter(({ status }) => status >= 500).length;
}

async function startCampaign({ stack: { origin } }: Observed) {
  const team = await newTeam({ origin });
  const { campaign } = await readyCampaign(team, rows(40));
  await team.data('POST', `/campaigns/${campaign}/send`);
  return { team, campaign };
}

/** What a stack with a canary needs: one that has been delivering for as long as its alarm looks back. */
export const withCanary: Pick<Scenario, 'context' | 'before'> = {
  context: { canary: 'true' },
  async before(observed) {
    const { id, domain } = await newTeam({ origin: observed.stack.origin });
    await operate(observed.folder, 'canary set', { team_id: id, from_email: `canary@${domain}` });
    await observed.pass(16);
  },
};

/** What goes well: a campaign with its feedback, domain events, webhooks and jobs. */
export async function healthy(observed: Observed): Promise<void> {
  const { origin } = observed.stack;
  const { team, campaign } = await startCampaign(observed);
  await ended(origin, team, campaign);
  await team.api('DELETE', `/lists/${(await team.data('POST', '/lists', { name: 'Short-lived' })).id}`);
  for (let round = 0; round < 4; round++) {
    for (const [alarm, [well]] of Object.entries(ofAwsAlone)) await observed.note(alarm, well);
    await observed.note('api-errors', await failedRequests(team, 5));
    for (const machine of workflows) await observed.note(`${machine}-failures`, 0);
    for (const unit of ['read', 'write']) await observed.note(`table-${unit}-throttles`, 0);
    await observed.pass(10);
  }
}

export const scenarios: Scenario[] = [
  {
    what: 'messages that no worker can handle',
    rings: [...functions.map((name) => `${name}-failures`), ...queues.map((name) => `${name}-dead-letters`)],
    silent: functions.map((name) => `${name}-errors`),
    async run(observed) {
      for (const queue of queues) for (let copy = 0; copy < 3; copy++) await enqueue(observed, queue, '{"team_id": ');
      // Five attempts, six minutes apart.
      await observed.pass(32);
    },
  },
  {
    what: 'workers that take nothing off their queues',
    rings: [...queues.map((name) => `${name}-delay`), 'oldest-job'],
    silent: ['schedule-stopped'],
    assembly(folder) {
      for (const file of globSync(join(folder, '*.template.json'))) {
        const template = JSON.parse(readFileSync(file, 'utf8'));
        for (const { Type, Properties } of Object.values<{ Type: string; Properties: object }>(template.Resources))
          if (Type === 'AWS::Lambda::EventSourceMapping') Object.assign(Properties, { Enabled: false });
        writeFileSync(file, JSON.stringify(template));
      }
    },
    async run(observed) {
      for (const queue of queues) await enqueue(observed, queue, '{}');
      await observed.pass(62);
    },
  },
  {
    what: 'pages that are put back again and again',
    rings: ['oldest-page'],
    silent: ['send-delay', 'send-page-failures', 'oldest-job'],
    async run(observed) {
      // Otherwise each step of the clock would wait for workers that pause between their calls.
      await observed.control('POST', '/clock', { frozen: true });
      await fail(observed, { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException' });
      await startCampaign(observed);
      await observed.pass(34);
    },
  },
  {
    what: 'a job that fails whenever it is run',
    rings: ['oldest-job'],
    silent: ['run-job-errors', 'run-job-failures', 'jobs-delay', 'jobs-dead-letters'],
    async run(observed) {
      const team = await newTeam({ origin: observed.stack.origin });
      const table = await rawTable(observed.folder);
      const now = new Date(await observed.now());
      // Longer than a key of the table may be.
      const email = `${'x'.repeat(3_000)}@example.com`;
      const erasure = { kind: 'erase', team_id: team.id, contact_id: 83, email, at: now.toISOString() } as const;
      await table.write([dueJob(erasure, now)]);
      await observed.pass(34);
    },
  },
  {
    what: 'a schedule whose runs fail',
    rings: ['schedule-stopped', 'reconcile-errors', 'reconcile-dead-letters'],
    async run(observed) {
      await fail(observed, { ...unreachable, operation: 'Query' });
      await observed.pass(10);
    },
  },
  {
    what: 'invocations that end in an error',
    rings: [...functions, ...steps].map((name) => `${name}-errors`),
    async run(observed) {
      const lambda = new LambdaClient(awsOf(observed.folder));
      await fail(observed, { ...unreachable, operation: 'GetItem' });
      for (const name of [...functions, ...steps])
        for (let copy = 0; copy < 3; copy++)
          await lambda.send(new InvokeCommand({ FunctionName: `mailwright-dev-${name}`, Payload: '{}' }));
      await observed.pass(1);
    },
  },
  {
    what: 'workflows whose step keeps failing',
    rings: workflows.map((machine) => `${machine}-failures`),
    async run(observed) {
      await fail(observed, { ...unreachable, operation: 'GetItem' });
      const input = { team_id: 1, campaign_id: 1, webhook_id: 1, run: 1 };
      const statuses = await Promise.all(workflows.map((machine) => execute(observed, machine, input)));
      await observed.pass(8);
      for (const [place, status] of statuses.entries())
        await observed.note(`${workflows[place]}-failures`, (await status()) === 'FAILED' ? 1 : 0);
      await observed.pass(1);
    },
  },
  {
    what: 'a table that throttles',
    rings: ['table-read-throttles', 'table-write-throttles', 'api-errors'],
    async run(observed) {
      const team = await newTeam({ origin: observed.stack.origin });
      const throttled = { service: 'dynamodb', error: 'ThrottlingException', count: 50 };
      for (let round = 0; round < 2; round++) {
        for (const [unit, operation] of [
          ['read', 'GetItem'],
          ['write', 'UpdateItem'],
        ]) {
          await fail(observed, { ...throttled, operation: operation! });
          for (let left = 1; left > 0; left = (await observed.control('GET', '/faults')).data.length)
            await observed.note('api-errors', await failedRequests(team, 10));
          await observed.note(`table-${unit}-throttles`, throttled.count);
        }
        await observed.pass(5);
      }
    },
  },
  {
    what: 'single messages that SES refuses',
    rings: ['canary'],
    silent: ['api-errors', 'feedback-delay'],
    ...withCanary,
    async run(observed) {
      await fail(observed, { service: 'ses', operation: 'SendEmail', error: 'SendingPausedException' });
      await observed.pass(22);
    },
  },
  {
    what: 'limits and a reputation that only AWS measures',
    rings: Object.keys(ofAwsAlone),
    async run(observed) {
      for (let round = 0; round < 2; round++) {
        for (const [alarm, [, ill]] of Object.entries(ofAwsAlone)) await observed.note(alarm, ill);
        await observed.pass(5);
      }
    },
  },
];

/** Copies the assembly of the tests' setup into a folder. */
export const copyAssembly = (folder: string): void =>
  cpSync(process.env.MAILWRIGHT_ASSEMBLY!, folder, { recursive: true });
