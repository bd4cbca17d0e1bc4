import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { enqueue, type Grant } from '../grants.ts';
import { resourceName, type StageSettings } from '../stage.ts';
import { addDeadLetters } from './dead-letters.ts';
import { type AlarmText, OperatorAlarm } from './operator-alarm.ts';

/** How a queue is addressed, and what operators read when it is not drained. */
export interface WorkQueueProps {
  stage: StageSettings;
  operators: ITopic;
  /** The variable with the queue's address, in functions that may put messages on it. @default no function is told */
  variable?: string;
  /** How long a message is kept. @default 4 days, as SQS */
  retention?: Duration;
  /** A message older than this rings an alarm. */
  oldestMessage: Duration;
  /** The alarm when a message has failed every attempt and is in the dead-letter queue. */
  deadLetters: AlarmText;
  /** The alarm when the queue is not drained as fast as it fills. */
  delay: AlarmText;
}

/** How long a worker may take over a batch. */
export const workerTimeout = Duration.seconds(60);

const attempts = 5;

/** A queue named after `name` with its dead-letter queue, and the alarms on both. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  /** Put messages on the queue. */
  readonly enqueue: Grant;

  constructor(scope: Construct, name: string, props: WorkQueueProps) {
    super(scope, name);
    const { stage, operators, deadLetters, delay } = props;
    this.deadLetters = addDeadLetters(this, 'DeadLetters', { name, stage, operators, ...deadLetters });
    this.queue = new Queue(this, 'Queue', {
      queueName: resourceName(stage, name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: props.retention,
      // Lambda's advice: six times the worker's timeout, so that no message is handed out twice while it is worked on.
      visibilityTimeout: Duration.seconds(6 * workerTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: attempts },
    });
    this.enqueue = enqueue(this.queue, props.variable);
    new OperatorAlarm(this, `${name}-delay`, {
      stage,
      operators,
      metric: this.queue.metricApproximateAgeOfOldestMessage({ statistic: 'max', period: Duration.minutes(5) }),
      threshold: props.oldestMessage.toSeconds(),
      ...delay,
    });
  }
}
