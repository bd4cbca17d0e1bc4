import { type App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as InvokeFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { JsonPath } from 'aws-cdk-lib/aws-stepfunctions';
import { QueueWorker } from './constructs/queue-worker.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { StepLoop } from './constructs/step-loop.ts';
import { WarehouseQueries } from './constructs/warehouse-queries.ts';
import type { DataStack } from './data-stack.ts';
import {
  addSendingDomains,
  callWebhooks,
  enqueue,
  type Right,
  readExports,
  readSendingAccount,
  readSendingDomains,
  redrive,
  sendDirectMail,
  sendMail,
  startCampaigns,
  startRetries,
  tableItems,
  watchExecutions,
} from './rights.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** What happens behind the API: campaigns move, pages are sent, feedback is applied, stalled work is picked up. */
export class PipelineStack extends Stack {
  readonly workflow: StepLoop;
  /** Further attempts at webhook deliveries. */
  readonly retries: StepLoop;
  /** Events on their way to webhook endpoints. */
  readonly webhooks: Queue;
  /** What changed in a team's records, for those who react to it. */
  readonly notices: Queue;
  /** The lanes of sequences on which somebody is due. */
  readonly sequences: Queue;
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
    this.retries = this.addRetries();
    this.webhooks = this.addWebhooks();
    const notices = this.addNotices();
    this.notices = notices.queue;
    this.sequences = this.addSequences();
    // A trigger sets a sequence going, and a sequence tells of its end.
    notices.worker.give(enqueue(this.sequences, 'SEQUENCE_QUEUE_URL'));
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
      rights: [
        this.table,
        sendMail(this.data.configurationSet),
        readSendingAccount(),
        enqueue(this.notices, 'NOTICE_QUEUE_URL'),
      ],
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
  private addNotices(): QueueWorker {
    return new QueueWorker(this, 'notices', {
      stage: this.stage,
      operators: this.data.operators,
      worker: 'handle-notices',
      rights: [
        this.table,
        sendDirectMail(this.data.directConfigurationSet),
        readSendingAccount(),
        enqueue(this.webhooks, 'WEBHOOK_QUEUE_URL'),
      ],
      environment: { BASE_URL: this.data.baseUrl },
      putBack: 'NOTICE_QUEUE_URL',
      batchSize: 10,
      maxConcurrency: 10,
      oldestMessage: Duration.minutes(30),
      alarms: {
        deadLetters: {
          impact:
            'People who signed up have not been asked to confirm or told of an invitation, and webhooks have not been told.',
          action: 'Find the error in the log of handle-notices, mend it, then redrive the queue.',
          runbook: 'notices-in-the-dead-letter-queue',
        },
        delay: {
          impact: 'Confirmation messages, invitations and webhooks come late.',
          action: "Compare the account's send rate and daily quota with what is queued.",
          runbook: 'notices-are-slow',
        },
        errors: {
          impact: 'Confirmation messages, invitations and webhooks come late.',
          action: 'Read the errors in the log of handle-notices.',
          runbook: 'a-worker-fails',
        },
      },
    });
  }

  /** The queue of sequences' lanes and the worker that sends their steps. */
  private addSequences(): Queue {
    const sequences = new QueueWorker(this, 'sequences', {
      stage: this.stage,
      operators: this.data.operators,
      worker: 'send-steps',
      rights: [
        this.table,
        sendMail(this.data.configurationSet),
        readSendingAccount(),
        readSendingDomains(),
        enqueue(this.notices, 'NOTICE_QUEUE_URL'),
      ],
      environment: { BASE_URL: this.data.baseUrl },
      putBack: 'SEQUENCE_QUEUE_URL',
      batchSize: 10,
      maxConcurrency: 20,
      oldestMessage: Duration.hours(1),
      alarms: {
        deadLetters: {
          impact:
            'Steps of a sequence come minutes late: each message stands for a lane, which the next sweep sets going again.',
          action: 'Find the error in the log of send-steps and mend it.',
          runbook: 'lanes-in-the-dead-letter-queue',
        },
        delay: {
          impact: 'Steps of sequences come over an hour late.',
          action: "Compare the account's send rate and daily quota with what is due.",
          runbook: 'sequences-are-slow',
        },
        errors: {
          impact: 'Steps of sequences come late.',
          action: 'Read the errors in the log of send-steps.',
          runbook: 'a-worker-fails',
        },
      },
    });
    return sequences.queue;
  }

  /** The queue of events for webhook endpoints and the worker that makes the first attempts. */
  private addWebhooks(): Queue {
    const webhooks = new QueueWorker(this, 'webhooks', {
      stage: this.stage,
      operators: this.data.operators,
      worker: 'deliver-webhook',
      rights: [this.table, startRetries(this.retries.stateMachine), callWebhooks(this.stage)],
      putBack: 'WEBHOOK_QUEUE_URL',
      // One message an invocation: nobody waits for the receiver of whoever shares his batch.
      batchSize: 1,
      maxConcurrency: 100,
      oldestMessage: Duration.minutes(15),
      alarms: {
        deadLetters: {
          impact: 'Webhook receivers have not been told of events, and will not be.',
          action: 'Find the error in the log of deliver-webhook, mend it, then redrive the queue.',
          runbook: 'webhooks-in-the-dead-letter-queue',
        },
        delay: {
          impact: 'Webhook receivers hear of events late.',
          action: 'Look for errors in the log of deliver-webhook, and for receivers that are slow.',
          runbook: 'webhooks-are-slow',
        },
        errors: {
          impact: 'Webhook receivers hear of events late.',
          action: 'Read the errors in the log of deliver-webhook.',
          runbook: 'a-worker-fails',
        },
      },
    });
    return webhooks.queue;
  }

  /** The workflow of deliveries that failed, and its one task. */
  private addRetries(): StepLoop {
    const retry = new ServiceFunction(this, 'retry-webhook', {
      stage: this.stage,
      rights: [this.table, callWebhooks(this.stage)],
      timeout: Duration.seconds(60),
    });
    retry.alarmOnErrors(this.data.operators, {
      impact: 'Webhook deliveries that failed are tried again late.',
      action: 'Read the errors in the log of retry-webhook.',
      runbook: 'a-worker-fails',
    });
    return new StepLoop(this, 'webhook', {
      stage: this.stage,
      operators: this.data.operators,
      step: retry.lambda,
      input: {
        team_id: JsonPath.numberAt('$.team_id'),
        webhook_id: JsonPath.numberAt('$.webhook_id'),
        event_id: JsonPath.stringAt('$.event_id'),
      },
      failure: {
        impact: 'A webhook delivery is not tried again until the reconciler starts it anew.',
        action: 'Read the error in the failed execution; if it keeps failing, mend the cause.',
        runbook: 'webhook-failures',
      },
    });
  }

  /** The queue of SES events and the worker that applies them. */
  private addFeedback(): void {
    const feedback = new QueueWorker(this, 'feedback', {
      stage: this.stage,
      operators: this.data.operators,
      worker: 'apply-feedback',
      rights: [this.table, enqueue(this.notices, 'NOTICE_QUEUE_URL'), enqueue(this.webhooks, 'WEBHOOK_QUEUE_URL')],
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
  private addCampaigns(sendQueue: Queue): StepLoop {
    const advance = new ServiceFunction(this, 'advance-campaign', {
      stage: this.stage,
      rights: [
        tableItems(this.data.table, 'dynamodb:BatchWriteItem'),
        enqueue(sendQueue, 'SEND_QUEUE_URL'),
        enqueue(this.notices, 'NOTICE_QUEUE_URL'),
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
    return new StepLoop(this, 'campaign', {
      stage: this.stage,
      operators: this.data.operators,
      step: advance.lambda,
      input: {
        team_id: JsonPath.numberAt('$.team_id'),
        campaign_id: JsonPath.numberAt('$.campaign_id'),
        run: JsonPath.numberAt('$.run'),
      },
      failure: {
        impact: 'A campaign has stopped moving; the reconciler will start it again.',
        action: 'Read the error in the failed execution; if it keeps failing, mend the cause.',
        runbook: 'campaign-failures',
      },
      detour: new WarehouseQueries(this, 'warehouse-queries', { stage: this.stage, data: this.data }),
    });
  }

  /** The schedule that finds stalled work and puts it back. */
  private addReconciler(): void {
    const reconcile = new ServiceFunction(this, 'reconcile', {
      stage: this.stage,
      rights: [
        this.table,
        startCampaigns(this.workflow.stateMachine),
        watchExecutions(this.workflow.name, 'campaigns'),
        startRetries(this.retries.stateMachine),
        watchExecutions(this.retries.name, 'deliveries'),
        readSendingAccount(),
        enqueue(this.notices, 'NOTICE_QUEUE_URL'),
        enqueue(this.sequences, 'SEQUENCE_QUEUE_URL'),
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
    const workers = this.node.children.filter((child) => child instanceof QueueWorker);
    const operate = new ServiceFunction(this, 'operate', {
      stage: this.stage,
      rights: [
        this.table,
        redrive(this, workers),
        addSendingDomains(),
        readSendingDomains(),
        startCampaigns(this.workflow.stateMachine),
        readExports(this.data, this.stage.warehouseBuckets),
        enqueue(this.notices, 'NOTICE_QUEUE_URL'),
      ],
      timeout: Duration.seconds(60),
    });
    new CfnOutput(this, 'OperateFunctionName', {
      value: operate.lambda.functionName,
      description: "Runs the operators' commands of npm run admin.",
    });
  }
}
