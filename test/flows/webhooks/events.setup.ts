import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { document, faults } from '../../support/document.ts';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.ts';
import { awsOf, type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';
import { subscribe, until } from '../../support/webhooks.ts';

export let folder: string;
export let stack: Stack;
export let receiver: Receiver;
let paths = 0;
export const newPath = () => `/hook-${++paths}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-webhook-events-'));
  [stack, receiver] = await Promise.all([
    startStack({ data: folder, context: { webhookAllowLoopback: 'true' } }),
    startReceiver(),
  ]);
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.stop();
  await receiver?.stop();
  await rm(folder, { recursive: true, force: true });
});

export const newOwner = () => newTeam({ origin: stack.origin });

/** Subscribes an endpoint to some events of a team; the result returns the bodies that it received. */
export async function listenTo(team: Team, ...events: string[]) {
  const path = newPath();
  await subscribe(team, receiver.url + path, events);
  return async (count?: number): Promise<Received['body'][]> => {
    if (count !== undefined) await until(() => receiver.to(path).length >= count);
    await idle(stack.origin);
    const bodies = receiver.to(path).map(({ body }) => body);
    for (const body of bodies) {
      const { schema } = document.webhooks[body.type].post.requestBody.content['application/json'];
      expect(faults(schema, body), body.type).toEqual([]);
    }
    return bodies;
  };
}

/** Puts a message on a queue of the stack. */
export async function queue(name: 'webhooks' | 'notices', message: object): Promise<void> {
  const sqs = new SQSClient(awsOf(folder));
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand());
  const QueueUrl = QueueUrls.find((url) => url.endsWith(`-${name}`));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }));
}

export const typesOf = (bodies: { type: string }[]) => bodies.map(({ type }) => type).sort();
export const dataOf = (bodies: Received['body'][], type: string) =>
  bodies.filter((body) => body.type === type).map(({ data }) => data);
