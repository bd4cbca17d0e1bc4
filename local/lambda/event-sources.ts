import type { Queue, ReceivedMessage } from '../aws/queue-types.ts';
import type { Queues } from '../aws/queues.ts';
import { real } from '../clock.ts';
import { Problem } from '../problem.ts';
import type { Permissions } from '../template/permissions.ts';
import type { Environment, Resource, Resources } from '../template/resource.ts';
import type { Usage } from '../usage.ts';
import type { Functions, LambdaFunction } from './runtime.ts';
import type { Switches } from './switches.ts';

/** Lambda's pollers, which invoke functions with the messages of queues. */
export interface EventSources {
  /** Names of queues whose poller has received messages and still fills its batch. */
  collecting(): string[];
  /** Delivers the batches that are being filled, as Lambda may before their window ends. */
  deliver(): void;
  stop(): void;
}

type Parts = { queues: Queues; functions: Functions; permissions: Permissions; usage: Usage; switches: Switches };

/** Starts a poller for every event source mapping of the template. */
export function startEventSources(resources: Resources, environment: Environment, parts: Parts): EventSources {
  const mappings = resources.ofType('AWS::Lambda::EventSourceMapping');
  const pollers = mappings.flatMap((mapping) => {
    if (mapping.properties.Enabled === false) return [];
    const { EventSourceArn, FunctionName } = mapping.properties;
    const queue = parts.queues.queue(EventSourceArn);
    const target = parts.functions.find(FunctionName);
    if (!queue || !target)
      throw new Problem(`The local stack polls queues of the template only: see ${mapping.id} in ${mapping.stack}.`);
    checkMapping(mapping, queue, target, parts.permissions);
    return new Poller(mapping, queue, target, parts, environment.region);
  });
  parts.queues.onChange((queue, due) => {
    for (const poller of pollers) if (!queue || poller.queue === queue) poller.poll(due);
  });
  const pollAll = () => {
    for (const poller of pollers) poller.poll();
  };
  parts.switches.onChange(pollAll);
  pollAll();
  return {
    collecting: () => pollers.filter(({ collecting }) => collecting).map(({ queue }) => queue.name),
    deliver() {
      for (const poller of pollers) poller.deliver();
    },
    stop() {
      for (const poller of pollers) poller.stop();
    },
  };
}

/** Throws a Problem for what AWS refuses when it creates the mapping. */
function checkMapping({ id }: Resource, queue: Queue, target: LambdaFunction, permissions: Permissions): void {
  for (const action of ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']) {
    if (permissions.allows(target.roleArn, action, queue.arn)) continue;
    throw new Problem(
      `The role of ${target.name} does not allow ${action} on ${queue.arn}, which the mapping ${id} needs.`,
    );
  }
  const { name, timeoutSeconds } = target;
  const visibility = Number(queue.attributes.VisibilityTimeout);
  if (visibility >= timeoutSeconds) return;
  throw new Problem(
    `The visibility timeout of ${queue.name} (${visibility} s) is below the timeout of ${name} (${timeoutSeconds} s).`,
  );
}

class Poller {
  readonly queue: Queue;
  collecting = false;
  readonly #arn: string;
  readonly #target: LambdaFunction;
  readonly #parts: Parts;
  readonly #region: string;
  readonly #batchSize: number;
  readonly #windowMilliseconds: number;
  readonly #partialFailures: boolean;
  readonly #concurrency: number;
  #running = 0;
  #active = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerDue = Number.POSITIVE_INFINITY;
  #filled: (() => void) | undefined;
  #endWindow: (() => void) | undefined;
  #starting = false;

  constructor({ arn, properties }: Resource, queue: Queue, target: LambdaFunction, parts: Parts, region: string) {
    this.queue = queue;
    this.#arn = arn;
    this.#target = target;
    this.#parts = parts;
    this.#region = region;
    this.#batchSize = Number(properties.BatchSize ?? 10);
    this.#windowMilliseconds = Number(properties.MaximumBatchingWindowInSeconds ?? 0) * 1000;
    this.#partialFailures = (properties.FunctionResponseTypes ?? []).includes('ReportBatchItemFailures');
    this.#concurrency = Number(properties.ScalingConfig?.MaximumConcurrency ?? 10);
  }

  /** Polls now, or when the next message becomes visible. */
  poll(due = 0): void {
    if (!this.#active) return;
    if (due > Date.now()) this.#pollAt(due);
    else if (this.#filled) this.#filled();
    else this.#startSoon();
  }

  deliver(): void {
    this.#endWindow?.();
  }

  /** Waits for one turn of the event loop, so that messages sent together are received together. */
  #startSoon(): void {
    if (this.#starting) return;
    this.#starting = true;
    real.setImmediate(() => {
      this.#starting = false;
      this.#start();
    });
  }

  stop(): void {
    this.#active = false;
    clearTimeout(this.#timer);
  }

  #pollAt(due: number): void {
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    this.#timer = setTimeout(() => {
      this.#timerDue = Number.POSITIVE_INFINITY;
      this.queue.processTimers();
      this.poll();
    }, due - Date.now());
  }

  #start(): void {
    while (
      this.#active &&
      !this.#parts.switches.isOff(this.#arn) &&
      !this.collecting &&
      this.#running < this.#concurrency
    ) {
      const messages = this.#take([]);
      if (messages.length === 0) {
        this.#pollLater();
        return;
      }
      this.#running++;
      void this.#process(messages).finally(() => {
        this.#running--;
        this.poll();
      });
    }
  }

  async #process(messages: ReceivedMessage[]): Promise<void> {
    if (messages.length < this.#batchSize && this.#windowMilliseconds > 0) await this.#fill(messages);
    this.#parts.usage.polled(this.#target, messages.length);
    const outcome = await this.#target.invoke({ Records: messages.map((message) => this.#record(message)) });
    const failed = outcome.error ? 'all' : this.#failures(outcome.value, messages);
    for (const message of messages) {
      if (failed !== 'all' && !failed.has(message.MessageId)) this.queue.deleteMessage(message.ReceiptHandle);
    }
    if (failed === 'all' || failed.size > 0) this.#pollLater();
  }

  /** Collects more messages until the batch is full or its window ends. */
  async #fill(messages: ReceivedMessage[]): Promise<void> {
    this.collecting = true;
    await new Promise<void>((done) => {
      const window = setTimeout(done, this.#windowMilliseconds);
      this.#endWindow = () => {
        clearTimeout(window);
        done();
      };
      this.#filled = () => {
        this.#take(messages);
        if (messages.length >= this.#batchSize) this.#endWindow?.();
      };
      this.#filled();
    });
    this.#filled = undefined;
    this.#endWindow = undefined;
    this.collecting = false;
    this.poll();
  }

  #take(messages: ReceivedMessage[]): ReceivedMessage[] {
    while (messages.length < this.#batchSize) {
      const received = this.#parts.queues.receive(this.queue, Math.min(10, this.#batchSize - messages.length));
      if (received.length === 0) break;
      messages.push(...received);
    }
    return messages;
  }

  #pollLater(): void {
    let due = Number.POSITIVE_INFINITY;
    for (const { visibilityDeadline } of this.queue.inflightMessages.values()) due = Math.min(due, visibilityDeadline);
    for (const { delayUntil } of this.queue.delayedMessages) due = Math.min(due, delayUntil ?? 0);
    if (due < Number.POSITIVE_INFINITY) this.#pollAt(due);
  }

  /** Ids of the failed messages in a partial batch response; `all` when the response is not valid. */
  #failures(value: unknown, messages: ReceivedMessage[]): Set<string> | 'all' {
    if (!this.#partialFailures) return new Set();
    const failures = (value as { batchItemFailures?: { itemIdentifier?: string }[] } | null)?.batchItemFailures;
    if (failures === undefined || failures === null) return new Set();
    if (!Array.isArray(failures)) return 'all';
    const known = new Set(messages.map(({ MessageId }) => MessageId));
    const ids = failures.map((failure) => failure?.itemIdentifier ?? '');
    return ids.every((id) => known.has(id)) ? new Set(ids) : 'all';
  }

  #record(message: ReceivedMessage): unknown {
    const stored = this.queue.inflightMessages.get(message.ReceiptHandle)?.message;
    return {
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: {
        ApproximateReceiveCount: String(stored?.approximateReceiveCount ?? 1),
        SentTimestamp: String(stored?.sentTimestamp ?? Date.now()),
        SenderId: '000000000000',
        ...(stored?.messageGroupId && { MessageGroupId: stored.messageGroupId }),
        ApproximateFirstReceiveTimestamp: String(stored?.approximateFirstReceiveTimestamp ?? Date.now()),
      },
      messageAttributes: {},
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: this.queue.arn,
      awsRegion: this.#region,
    };
  }
}
