import { Duration, Validations } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as InvokeFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Campaigns } from './campaigns.ts';
import { addDeadLetters } from './constructs/dead-letters.ts';
import { OperatorAlarm } from './constructs/operator-alarm.ts';
import { QueueWorker } from './constructs/queue-worker.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { enqueue } from './grants.ts';
import { readSendingAccount, readSendingDomains, removeSendingDomains } from './mail-grants.ts';
import { resourceName } from './stage.ts';
import type { Webhooks } from './webhooks.ts';

/** What jobs start and watch. */
export interface JobTargets {
  campaigns: Campaigns;
  webhooks: Webhooks;
  domainEvents: WorkQueue;
  sequences: WorkQueue;
}

/** With this memory a function has a whole processor: thousands of jobs and shards must be queued in seconds. */
const wholeProcessor = 1_769;

/** Adds the worker that finds due jobs every minute, the queue that it hands them to, and the worker that runs them. */
export function addJobs(scope: Construct, data: DataStack, targets: JobTargets): WorkQueue {
  const { stage, operators } = data;
  const queue = addQueue(scope, data);
  addWorker(queue, data, targets);
  const failures = addFailures(scope, data);
  const reconcile = new ServiceFunction(scope, 'reconcile', {
    stage,
    grants: [data.items(), data.dataKeys, queue.enqueue, enqueue(failures)],
    timeout: Duration.seconds(60),
    memoryMb: wholeProcessor,
    errorAlarm: {
      operators,
      impact: 'Due work is not handed out: scheduled campaigns may start late and interrupted ones stay unfinished.',
    },
  });
  reconcile.lambda.configureAsyncInvoke({
    // The next minute does what this one did not.
    retryAttempts: 0,
    maxEventAge: Duration.minutes(1),
    onFailure: { bind: () => ({ destination: failures.queueArn }) },
  });
  addScheduleAlarms(reconcile, data);
  new Rule(scope, 'EveryMinute', {
    ruleName: resourceName(stage, 'reconcile'),
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new InvokeFunction(reconcile.lambda, { retryAttempts: 0 })],
  });
  return queue;
}

/** Keeps the minutes that failed, each with its error. */
function addFailures(scope: Construct, { stage, operators }: DataStack): Queue {
  const queue = addDeadLetters(scope, 'ReconcileDead', {
    name: 'reconcile',
    stage,
    operators,
    impact: 'A minute of due work was handed out late: planned campaigns and steps of sequences began a minute later.',
    action: 'Read the error in the message, and mend it if it comes again.',
    runbook: 'minutes-in-the-dead-letter-queue',
  });
  const reason = 'It is itself where Lambda puts the events that failed, and nothing consumes it.';
  Validations.of(queue).acknowledge({ id: 'AwsSolutions-SQS3', reason });
  return queue;
}

/** Each run of the schedule measures the oldest due job: no measurement means that it has stopped. */
function addScheduleAlarms(reconcile: ServiceFunction, { stage, operators }: DataStack): void {
  new OperatorAlarm(reconcile, 'schedule-stopped', {
    stage,
    operators,
    metric: reconcile.logged('OldestDueJobAge', 'n', Duration.minutes(1)),
    comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    periods: 5,
    missing: TreatMissingData.BREACHING,
    impact: 'Due work is not handed out: planned campaigns do not start and interrupted ones stay unfinished.',
    action: 'Read the log of reconcile, and look whether its rule is enabled.',
    runbook: 'the-schedule-has-stopped',
  });
  new OperatorAlarm(reconcile, 'oldest-job', {
    stage,
    operators,
    metric: reconcile.logged('OldestDueJobAge', 'max'),
    threshold: Duration.minutes(15).toSeconds(),
    // A job that keeps failing is due once in a quarter of an hour.
    periods: 4,
    datapoints: 1,
    impact: 'A planned start, an erasure or other due work has not been done for a quarter of an hour.',
    action: 'Find out from the log of run-job which job fails, or why none is run.',
    runbook: 'a-job-is-not-done',
  });
}

function addWorker(
  queue: WorkQueue,
  data: DataStack,
  { campaigns: { workflow }, webhooks: { retries }, domainEvents, sequences }: JobTargets,
): void {
  const { stage, operators } = data;
  const runJob = new QueueWorker(queue, 'run-job', {
    stage,
    grants: [
      data.items({ platform: true, deletes: 'items', inBulk: true }),
      data.secrets('signing'),
      workflow.start,
      workflow.watch,
      retries.start,
      retries.watch,
      retries.stop,
      readSendingAccount(),
      readSendingDomains(),
      removeSendingDomains(stage),
      domainEvents.enqueue,
      sequences.enqueue,
      queue.enqueue,
    ],
    // One message per invocation, so that no job waits for another team's.
    batchSize: 1,
    memoryMb: wholeProcessor,
    errorAlarm: {
      operators,
      impact:
        'Work that stalled is not picked up: scheduled campaigns may start late and interrupted ones stay unfinished.',
    },
  });
  new OperatorAlarm(runJob, 'oldest-page', {
    stage,
    operators,
    // Measured by the job of each campaign that is being sent.
    metric: runJob.logged('OldestDuePageAge', 'max'),
    threshold: Duration.minutes(30).toSeconds(),
    impact: 'Recipients of a campaign have been due for half an hour and are not sent to.',
    action: 'Find the campaign in the logs of send-page and advance-campaign, and see what it waits for.',
    runbook: 'pages-are-not-sent',
  });
}

function addQueue(scope: Construct, { stage, operators }: DataStack): WorkQueue {
  return new WorkQueue(scope, 'jobs', {
    stage,
    operators,
    variable: 'JOB_QUEUE_URL',
    oldestMessage: Duration.minutes(15),
    deadLetters: {
      impact: 'A job runs minutes late: a planned start, a sweep of sequences, an erasure or the like.',
      action: 'Find the error in the log of run-job and fix it.',
      runbook: 'jobs-in-the-dead-letter-queue',
    },
    delay: {
      impact: 'Planned campaigns start late, steps of sequences come late, and deleted data stays longer.',
      action: 'Look for errors in the log of run-job, and for a team with very many jobs.',
      runbook: 'jobs-are-slow',
    },
  });
}
