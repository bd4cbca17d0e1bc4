import type { Duration } from 'aws-cdk-lib';
import { consume } from '../grants.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import { type WorkQueue, workerTimeout } from './work-queue.ts';

/** How a worker takes messages off its queue. */
export interface QueueWorkerProps extends Omit<ServiceFunctionProps, 'timeout'> {
  /** Messages per invocation. */
  batchSize: number;
  /** How long to wait for a batch to fill; SQS wants 1 s above 10 messages. @default none */
  batchingWindow?: Duration;
  /** Invocations at once. */
  maxConcurrency: number;
}

/** The function that handles the messages of a queue. */
export class QueueWorker extends ServiceFunction {
  constructor(from: WorkQueue, name: string, props: QueueWorkerProps) {
    super(from, name, { ...props, grants: [...props.grants, consume(from.queue)], timeout: workerTimeout });
    this.lambda.addEventSourceMapping('Messages', {
      eventSourceArn: from.queue.queueArn,
      batchSize: props.batchSize,
      maxBatchingWindow: props.batchingWindow,
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
