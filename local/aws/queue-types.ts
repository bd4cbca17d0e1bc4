import type { buildApp } from 'fauxqs';

/** The engine's stores of queues, topics and objects. */
export type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;
/** A queue of the engine, with its messages. */
export type Queue = NonNullable<ReturnType<Stores['sqsStore']['getQueueByArn']>>;
/** A received message, until it is deleted or its visibility timeout ends. */
export type ReceivedMessage = ReturnType<Queue['dequeue']>[number];
