import type { buildApp } from 'fauxqs';

type EngineStores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;

/** The engine's stores of queues, topics and objects, and what makes a message of a queue. */
export type Stores = EngineStores & { createMessage(body: string): Parameters<Queue['enqueue']>[0] };
/** A queue of the engine, with its messages. */
export type Queue = NonNullable<ReturnType<EngineStores['sqsStore']['getQueueByArn']>>;
/** A received message, until it is deleted or its visibility timeout ends. */
export type ReceivedMessage = ReturnType<Queue['dequeue']>[number];
