import { AsyncLocalStorage } from 'node:async_hooks';
import { buildApp } from 'fauxqs';
import { Problem } from '../problem.ts';
import { reference } from '../template/physical.ts';
import type { Environment, Resource, Resources } from '../template/resource.ts';
import type { BucketFiles } from './bucket-files.ts';
import type { Answer } from './errors.ts';
import { makeFair, withGroups } from './fair-queue.ts';
import type { QueueJournal } from './queue-journal.ts';
import type { Queue, ReceivedMessage, Stores } from './queue-types.ts';

/** Set during a call whose messages must arrive twice (`duplicate`) or out of order (`reorder`). */
export const deliveryFault = new AsyncLocalStorage<string>();

/** The engine for SQS, SNS and S3, in this process. */
export interface Queues {
  /** Answers one request of the SQS, SNS or S3 protocol. */
  handle(request: { method: string; url: string; headers: Record<string, string>; body: Buffer }): Promise<Answer>;
  queue(arn: string): Queue | undefined;
  /** Puts a message on a queue, as another AWS service does. */
  put(queueArn: string, body: string): void;
  /** Puts an object into a bucket, as another AWS service does. */
  putObject(bucket: string, key: string, body: string): void;
  /** Receives up to 10 messages; those over their receive count go to the dead-letter queue. */
  receive(queue: Queue, count: number): ReceivedMessage[];
  /** Calls the listener when a queue may have new messages: now, or at `due`. */
  onChange(listener: (queue: Queue | undefined, due?: number) => void): void;
  /** The queues that a function takes messages from. */
  consumed(): Queue[];
  /** What CloudWatch would measure of each queue now. */
  measured(): QueueMeasures[];
  close(): Promise<void>;
}

/** Messages that can be received, and the age of the oldest one that is not deleted, nor delayed, in seconds. */
interface QueueMeasures {
  name: string;
  visible: number;
  oldest_seconds: number;
}

/** Starts the engine with the queues, topics and buckets of the template; journal and files keep their content. */
export async function openQueues(
  resources: Resources,
  environment: Environment,
  journal: QueueJournal | undefined,
  files: BucketFiles | undefined,
): Promise<Queues> {
  const { region } = environment;
  const stores = await openStores();
  const listeners: Parameters<Queues['onChange']>[0][] = [];
  const changed = (queue?: Queue, due?: number) => {
    for (const listener of listeners) listener(queue, due);
  };
  for (const resource of resources.ofType('AWS::SQS::Queue')) {
    const queue = createQueue(stores, resource, reference(resource, environment));
    journal?.attach(queue);
    makeFair(queue);
    watch(queue, changed);
  }
  for (const { name } of resources.ofType('AWS::SNS::Topic'))
    stores.snsStore.createTopic(name, undefined, undefined, region);
  for (const subscription of resources.ofType('AWS::SNS::Subscription')) subscribe(stores, subscription);
  for (const { name } of resources.ofType('AWS::S3::Bucket')) {
    stores.s3Store.createBucket(name);
    // biome-ignore lint/complexity/useLiteralKeys: the engine offers no other access to its buckets
    files?.attach(name, stores.s3Store['buckets'].get(name)!);
  }

  const app = buildApp({ logger: false, defaultRegion: region, stores });
  await app.ready();
  const mappings = resources.ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) => properties);
  const sources = new Set(mappings.map(({ EventSourceArn, Enabled }) => Enabled !== false && EventSourceArn));
  return {
    async handle({ method, url, headers, body }) {
      const { 'transfer-encoding': _, ...rest } = headers;
      const inject = () => app.inject({ method: method as 'POST', url, headers: rest, payload: body });
      const response = await withGroups(body, async () => inject());
      if (!headers['x-amz-target']?.startsWith('AmazonSQS.SendMessage')) changed();
      await journal?.written();
      const answered = Object.entries(response.headers).filter(
        ([name]) => !['connection', 'date', 'content-length'].includes(name),
      );
      return {
        status: response.statusCode,
        headers: Object.fromEntries(answered.map(([name, value]) => [name, String(value)])),
        body: response.rawPayload,
      };
    },
    put: (arn, body) => stores.sqsStore.getQueueByArn(arn)!.enqueue(stores.createMessage(body)),
    putObject: (bucket, key, body) => void stores.s3Store.putObject(bucket, key, Buffer.from(body)),
    queue: (arn) => stores.sqsStore.getQueueByArn(arn),
    receive: (queue, count) => queue.dequeue(count, undefined, (arn) => stores.sqsStore.getQueueByArn(arn)),
    onChange: (listener) => void listeners.push(listener),
    consumed: () => stores.sqsStore.listQueues().filter(({ arn }) => sources.has(arn)),
    measured: () => stores.sqsStore.listQueues().map(measuresOf),
    close: async () => void (await app.close()),
  };
}

function measuresOf(queue: Queue): QueueMeasures {
  queue.processTimers();
  const { name, messages, inflightMessages } = queue;
  const present = [...messages, ...[...inflightMessages.values()].map(({ message }) => message)];
  const sent = present.map(({ sentTimestamp }) => sentTimestamp);
  const now = Date.now();
  return { name, visible: messages.length, oldest_seconds: (now - Math.min(now, ...sent)) / 1_000 };
}

/** Loads the stores from the engine's files: it does not export them, and only they can be polled without HTTP. */
async function openStores(): Promise<Stores> {
  const entry = import.meta.resolve('fauxqs');
  const load = (path: string) => import(new URL(path, entry).href);
  const [{ SqsStore }, { SnsStore }, { S3Store }] = await Promise.all(
    ['./sqs/sqsStore.js', './sns/snsStore.js', './s3/s3Store.js'].map(load),
  );
  return {
    createMessage: SqsStore.createMessage,
    sqsStore: new SqsStore(),
    snsStore: new SnsStore(),
    s3Store: new S3Store(),
  };
}

function createQueue(stores: Stores, { name, arn, properties }: Resource, url: string): Queue {
  const attributes: Record<string, string> = {};
  for (const key of ['VisibilityTimeout', 'MessageRetentionPeriod'])
    if (properties[key] !== undefined) attributes[key] = String(properties[key]);
  if (properties.RedrivePolicy) attributes.RedrivePolicy = JSON.stringify(properties.RedrivePolicy);
  return stores.sqsStore.createQueue(name, url, arn, attributes);
}

function subscribe(stores: Stores, { id, stack, properties }: Resource): void {
  const { Protocol, TopicArn, Endpoint, ...options } = properties;
  const [unknown] = Protocol === 'sqs' ? Object.keys(options) : [`the protocol ${Protocol}`];
  if (unknown)
    throw new Problem(`The local stack does not support ${unknown} of subscriptions: see ${id} in ${stack}.`);
  stores.snsStore.subscribe(TopicArn, 'sqs', Endpoint, {});
}

/** Reports each message that arrives in the queue, and applies the delivery fault of its call. */
function watch(queue: Queue, changed: (queue: Queue, due?: number) => void): void {
  const enqueue = queue.enqueue.bind(queue);
  queue.enqueue = (message) => {
    const fault = deliveryFault.getStore();
    if (fault === 'reorder') message.delayUntil ??= Date.now() + 50 + Math.random() * 450;
    enqueue(message);
    if (fault === 'duplicate') enqueue({ ...message });
    changed(queue, message.delayUntil);
  };
}
