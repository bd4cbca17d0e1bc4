import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { resourceName, type StageSettings } from '../stage.ts';
import { type AlarmText, OperatorAlarm } from './operator-alarm.ts';

/** Adds the queue `<name>-dead`, which keeps what failed for 14 days, and the alarm that rings while it has any. */
export function addDeadLetters(
  scope: Construct,
  id: string,
  { name, ...props }: AlarmText & { name: string; stage: StageSettings; operators: ITopic },
): Queue {
  const queue = new Queue(scope, id, {
    queueName: resourceName(props.stage, `${name}-dead`),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  new OperatorAlarm(scope, `${name}-dead-letters`, {
    ...props,
    metric: queue.metricApproximateNumberOfMessagesVisible({ statistic: 'max', period: Duration.minutes(1) }),
    threshold: 1,
  });
  return queue;
}
