import { type App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as InvokeFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { CampaignWorkflow } from './constructs/campaign-workflow.ts';
import { QueueWorker } from './constructs/queue-worker.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { WarehouseQueries } from './constructs/warehouse-queries.ts';
import type { DataStack } from './data-stack.ts';
import {
  addSendingDomains,
  enqueue,
  type Right,
  readExports,
  readSendingAccount,
  readSendingDomains,
  sendDirectMail,
  sendMail,
  startCampaigns,
  tableItems,
  watchCampaigns,
} from './rights.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** What happens behind the API: campaigns move, pages are sent, feedback is applied, stalled work is picked up. */
export class PipelineStack extends Stack {
  readonly workflow: CampaignWorkflow;
  /** What changed in a team's records, for those who react to it. */
  readonly notices: Queue;
  private readonly stage: StageSettings;
  private readonly data: DataStack;
  private readonly table: Right;

  constructor(app: App, stage: StageSettings, data: DataStack) {
    super(app, 'Pipeline', {
      stackName: resourceName(stage, 'pipeline'),
      description: `Mailwright ${stage.name}: campaign workflow, queues and workers.`,
    });
    this.stage = stage;
    this.data = data;
    this.table = tableItems(data.table);
    this.notices = this.addNotices();
    const sendQueue = this.addSending();
    this.addFeedback();
    this.workflow = this.addCampaigns(sendQueue);
    this.addReconciler();
    this.addOperate();
    new CfnOutput(this, 'CampaignStateMachineArn', {
      value: this.workflow.stateMachine.stateMachineArn,
      description: 'Each campaign that is being sent is an execution of it.',
    });
  }

  /** The queue of recipient pages and the worker that sends them. */
  private addSending(): Queue {
    const sending = new QueueWorker(this, 'send', {
      stage: this.stage,
      operators: this.data.operators,
      worker: 'send-page',
      rights: [this.table, sendMail(this.data.configurationSet), readSendingAccount()],
      environment: { BASE_URL: this.data.baseUrl },
      putBack: 'SEND_QUEUE_URL',
      batchSize: 10,
      maxConcurrency: 20,
      oldestMessage: Duration.hours(1),
      alarms: {
        deadLetters: {
          impact: 'Up to 50 recipients per message have not been sent their campaign.',
          action: 'Find the error in the log of send-page, mend it, then redrive the queue.',
          runbook: 'pages-in-the-dead-letter-queue',
        },
        delay: {
          impact: 'Campaigns reach their recipients over an hour late.',
          action: "Compare the account's send rate and daily quota with what is queued.",
          runbook: 'sending-is-slow',
        },
        errors: {
          impact: 'Campaign emails are delayed; after five attempts a page of 50 recipients stays unsent.',
          action: 'Read the errors in the log of send-page.',
          runbook: 'a-worker-fails',
        },
      },
    });
    return sending.queue;
  }

  /** The queue of notices and the worker that reacts to them. */
  private addNotices(): Queue {
    const notices = new QueueWorker(this, 'notices', {
      stage: this.stage,
      operators: this.data.operators,
      worker: 'handle-notices',
      rights: [this.table, sendDirectMail(this.data.directConfigurationSet), readSendingAccount()],
      environment: { BASE_URL: this.data.baseUrl },
      putBack: 'NOTICE_QUEUE_URL',
      batchSize: 10,
      maxConcurrency: 10,
      oldestMessage: Duration.minutes(30),
      alarms: {
        deadLetters: {
          impact: 'People who signed up have not been asked to confirm, or were not told of an invitation.',
          action: 'Find the error in the log of handle-notices, mend it, then redrive the queue.',
          runbook: 'notices-in-the-dead-letter-queue',
        },
        delay: {
          impact: 'Confirmation messages and invitations come late.',
          action: "Compare the account's send rate and daily quota with what is queued.",
          runbook: 'notices-are-slow',
        },
        errors: {
          impact: 'Confirmation messages and invitations come late.',
          action: 'Read the errors in the log of handle-notices.',
          runbook: 'a-worker-fails',
        },
      },
    });
    return notices.queue;
  }

  /** The queue of SES events and the worker that applies them. */
  private addFeedback(): void {
    const feedback = new QueueWorker(this, 'feedback', {
      stage: this.stage,
      operators: this.data.operators,
      worker: 'apply-feedback',
      rights: [this.table, enqueue(this.notices, 'NOTICE_QUEUE_URL')],
      batchSize: 100,
      batchingWindow: Duration.seconds(1),
      maxConcurrency: 10,
      oldestMessage: Duration.minutes(15),
      alarms: {
        deadLetters: {
          impact:
            'Deliveries, bounces or complaints are missing from reports, and an address that bounced may be mailed again.',
          action: 'Find the error in the log of apply-feedback, mend it, then redrive the queue.',
          runbook: 'feedback-in-the-dead-letter-queue',
        },
        delay: {
          impact: 'Reports lag, and addresses that bounced or complained are suppressed late.',
          action: 'Look for throttling and errors in the log of apply-feedback.',
          runbook: 'feedback-is-slow',
        },
        errors: {
          impact: 'Reports lag, and addresses that bounced or complained are suppressed late.',
          action: 'Read the errors in the log of apply-feedback.',
          runbook: 'a-worker-fails',
        },
      },
    });
    this.data.feedback.addSubscription(new SqsSubscription(feedback.queue));
  }

  /** The workflow of a campaign and its one task. */
  private addCampaigns(sendQueue: Queue): CampaignWorkflow {
    const advance = new ServiceFunction(this, 'advance-campaign', {
      stage: this.stage,
      rights: [
        tableItems(this.data.table, 'dynamodb:BatchWriteItem'),
        enqueue(sendQueue, 'SEND_QUEUE_URL'),
        readSendingAccount(),
        readSendingDomains(),
        readExports(this.data, this.stage.warehouseBuckets),
      ],
      timeout: Duration.minutes(5),
      memoryMb: 1024,
    });
    advance.alarmOnErrors(this.data.operators, {
      impact: 'Campaigns start or finish late.',
      action: 'Read the errors in the log of advance-campaign.',
      runbook: 'a-worker-fails',
    });
    return new CampaignWorkflow(this, 'campaign', {
      stage: this.stage,
      operators: this.data.operators,
      advance: advance.lambda,
      queries: new WarehouseQueries(this, 'warehouse-queries', { stage: this.stage, data: this.data }),
    });
  }

  /** The schedule that finds stalled work and puts it back. */
  private addReconciler(): void {
    const reconcile = new ServiceFunction(this, 'reconcile', {
      stage: this.stage,
      rights: [
        this.table,
        startCampaigns(this.workflow.stateMachine),
        watchCampaigns(this.workflow.name),
        readSendingAccount(),
        enqueue(this.notices, 'NOTICE_QUEUE_URL'),
      ],
      timeout: Duration.seconds(60),
    });
    reconcile.alarmOnErrors(this.data.operators, {
      impact:
        'Work that stalled is not picked up: scheduled campaigns may start late and interrupted ones stay unfinished.',
      action: 'Read the errors in the log of reconcile.',
      runbook: 'a-worker-fails',
    });
    new Rule(this, 'EveryMinute', {
      ruleName: resourceName(this.stage, 'reconcile'),
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new InvokeFunction(reconcile.lambda, { retryAttempts: 0 })],
    });
  }

  /** The operators' commands; only who may invoke it in this account can use it. */
  private addOperate(): void {
    const operate = new ServiceFunction(this, 'operate', {
      stage: this.stage,
      rights: [
        this.table,
        addSendingDomains(),
        readSendingDomains(),
        startCampaigns(this.workflow.stateMachine),
        readExports(this.data, this.stage.warehouseBuckets),
      ],
      timeout: Duration.seconds(60),
    });
    new CfnOutput(this, 'OperateFunctionName', {
      value: operate.lambda.functionName,
      description: "Runs the operators' commands of npm run admin.",
    });
  }
}
