import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { consume, enqueue, type Right } from '../rights.ts';
import { resourceName, type StageSettings } from '../stage.ts';
import { type AlarmText, OperatorAlarm } from './operator-alarm.ts';
import { ServiceFunction } from './service-function.ts';

/** A queue, the worker that drains it, and what operators read when it does not. */
export interface QueueWorkerProps {
  stage: StageSettings;
  operators: ITopic;
  /** The bundle in functions/workers that handles the messages. */
  worker: string;
  rights: Right[];
  environment?: Record<string, string>;
  /** The variable that names the queue to its own worker, which may put messages back for later. @default it may not */
  putBack?: string;
  /** Messages per invocation. */
  batchSize: number;
  /** How long to wait for a batch to fill; SQS wants 1 s above 10 messages. @default none */
  batchingWindow?: Duration;
  /** Invocations at once. */
  maxConcurrency: number;
  /** A message older than this rings an alarm. */
  oldestMessage: Duration;
  alarms: {
    /** A message has failed every attempt and lies in the dead-letter queue. */
    deadLetters: AlarmText;
    /** The queue is not drained as fast as it fills. */
    delay: AlarmText;
    /** Invocations of the worker fail. */
    errors: AlarmText;
  };
}

const attempts = 5;
const workerTimeout = Duration.seconds(60);

/** A queue named after `name` with its dead-letter queue, the function that drains it, and the alarms on all three. */
export class QueueWorker extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly worker: ServiceFunction;

  constructor(scope: Construct, name: string, props: QueueWorkerProps) {
    super(scope, name);
    const { stage, operators, alarms } = props;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: resourceName(stage, `${name}-dead`),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      queueName: resourceName(stage, name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Lambda's advice: six times the function's timeout, so that a message is never handed out twice while worked on.
      visibilityTimeout: Duration.seconds(6 * workerTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: attempts },
    });

    this.worker = new ServiceFunction(this, props.worker, {
      stage,
      rights: [...props.rights, consume(this.queue), ...(props.putBack ? [enqueue(this.queue, props.putBack)] : [])],
      timeout: workerTimeout,
      environment: props.environment,
    });
    this.worker.lambda.addEventSourceMapping('Messages', {
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize,
      maxBatchingWindow: props.batchingWindow,
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
    });

    new OperatorAlarm(this, `${name}-dead-letters`, {
      stage,
      operators,
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({
        statistic: 'max',
        period: Duration.minutes(1),
      }),
      threshold: 1,
      ...alarms.deadLetters,
    });
    new OperatorAlarm(this, `${name}-delay`, {
      stage,
      operators,
      metric: this.queue.metricApproximateAgeOfOldestMessage({ statistic: 'max', period: Duration.minutes(5) }),
      threshold: props.oldestMessage.toSeconds(),
      ...alarms.delay,
    });
    this.worker.alarmOnErrors(operators, alarms.errors);
  }
}
