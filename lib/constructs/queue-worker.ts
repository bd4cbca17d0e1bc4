import type { Duration } from 'aws-cdk-lib';
import type { QueueWorkerName } from '../concurrency.ts';
import { consume } from '../grants.ts';
import { OperatorAlarm } from './operator-alarm.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import { type WorkQueue, workerTimeout } from './work-queue.ts';

/** How a worker takes messages off its queue. */
export interface QueueWorkerProps extends Omit<ServiceFunctionProps, 'timeout'> {
  /** Messages per invocation. */
  batchSize: number;
  /** How long to wait for a batch to fill; SQS wants 1 s above 10 messages. @default none */
  batchingWindow?: Duration;
}

/** The function that handles the messages of a queue, as many at once as the stage allows it. */
export class QueueWorker extends ServiceFunction {
  constructor(from: WorkQueue, name: QueueWorkerName, props: QueueWorkerProps) {
    super(from, name, { ...props, grants: [...props.grants, consume(from.queue)], timeout: workerTimeout });
    this.lambda.addEventSourceMapping('Messages', {
      eventSourceArn: from.queue.queueArn,
      batchSize: props.batchSize,
      maxBatchingWindow: props.batchingWindow,
      maxConcurrency: props.stage.workers[name],
      reportBatchItemFailures: true,
    });
    // For Lambda an invocation that returns failed messages is a success. What fails once passes by the next attempt,
    // six minutes later: failures must go on.
    if (props.errorAlarm)
      new OperatorAlarm(this, `${name}-failures`, {
        stage: props.stage,
        metric: this.logged('Failures', 'sum'),
        threshold: 3,
        periods: 3,
        datapoints: 2,
        action: `Read the errors in the log of ${name}.`,
        runbook: 'a-worker-fails',
        ...props.errorAlarm,
      });
  }
}
