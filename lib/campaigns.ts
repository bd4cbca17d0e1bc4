import { CfnOutput, Duration } from 'aws-cdk-lib';
import { JsonPath } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { QueueWorker } from './constructs/queue-worker.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { StepLoop } from './constructs/step-loop.ts';
import { WarehouseQueries } from './constructs/warehouse-queries.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { readSendingAccount, readSendingDomains } from './mail-grants.ts';

/** How campaigns are sent. */
export interface Campaigns {
  /** Pages of recipients that are ready to be sent. */
  sendQueue: WorkQueue;
  /** Takes a campaign from "send" to "sent". */
  workflow: StepLoop;
}

/** Adds the workflow of campaigns with its warehouse queries, the queue of recipient pages and its worker. */
export function addCampaigns(scope: Construct, data: DataStack, domainEvents: WorkQueue): Campaigns {
  const { stage, operators } = data;
  const sendQueue = addSendQueue(scope, data);
  new QueueWorker(sendQueue, 'send-page', {
    stage,
    grants: [
      data.items({ platform: true, deletes: 'jobs' }),
      data.secrets('signing'),
      data.mail.sendBulk,
      readSendingAccount(),
      domainEvents.enqueue,
      sendQueue.enqueue,
    ],
    environment: { BASE_URL: data.baseUrl },
    batchSize: 10,
    // It mostly waits: for the table, for SES, and at a low rate between calls.
    memoryMb: 256,
    errorAlarm: {
      operators,
      impact: 'Campaign emails are delayed; after five attempts a page of 50 recipients stays unsent.',
    },
  });
  const advance = new ServiceFunction(scope, 'advance-campaign', {
    stage,
    grants: [
      data.items({ platform: true, deletes: 'jobs', inBulk: true }),
      sendQueue.enqueue,
      domainEvents.enqueue,
      readSendingAccount(),
      readSendingDomains(),
      data.exports.read,
    ],
    timeout: Duration.minutes(5),
    memoryMb: 1024,
    errorAlarm: { operators, impact: 'Campaigns start or finish late.' },
  });
  return { sendQueue, workflow: addWorkflow(scope, data, advance) };
}

function addSendQueue(scope: Construct, { stage, operators }: DataStack): WorkQueue {
  return new WorkQueue(scope, 'send', {
    stage,
    operators,
    variable: 'SEND_QUEUE_URL',
    oldestMessage: Duration.hours(1),
    deadLetters: {
      impact: 'Up to 50 recipients per message have not been sent their campaign.',
      action: 'Find the error in the log of send-page, fix it, then redrive the queue.',
      runbook: 'pages-in-the-dead-letter-queue',
    },
    delay: {
      impact: 'Campaigns reach their recipients over an hour late.',
      action: "Compare the account's send rate and daily quota with what is queued.",
      runbook: 'sending-is-slow',
    },
  });
}

function addWorkflow(scope: Construct, { stage, operators, exports }: DataStack, advance: ServiceFunction): StepLoop {
  const workflow = new StepLoop(scope, 'campaign', {
    stage,
    operators,
    step: advance.lambda,
    input: {
      team_id: JsonPath.numberAt('$.team_id'),
      campaign_id: JsonPath.numberAt('$.campaign_id'),
      run: JsonPath.numberAt('$.run'),
    },
    records: 'campaigns',
    variable: 'CAMPAIGN_STATE_MACHINE_ARN',
    failure: {
      impact: 'A campaign has stopped moving; its job will start it again.',
      action: 'Read the error in the failed execution; if it keeps failing, fix the cause.',
      runbook: 'campaign-failures',
    },
    optionalStep: new WarehouseQueries(scope, 'warehouse-queries', { stage, exports }),
  });
  new CfnOutput(scope, 'CampaignStateMachineArn', {
    value: workflow.stateMachine.stateMachineArn,
    description: 'Each campaign that is being sent is an execution of it.',
  });
  return workflow;
}
