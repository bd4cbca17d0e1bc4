import { beforeEach, expect, it } from 'vitest';
import { openQueues, type Queues } from '../../local/aws/queues.ts';
import type { Environment, Template } from '../../local/template/resource.ts';
import { resolveTemplates } from '../../local/template/template.ts';

const environment: Environment = {
  region: 'us-east-1',
  accountId: '000000000000',
  awsEndpoint: 'http://127.0.0.1:4000',
  apiEndpoint: 'http://127.0.0.1:8787',
};
const template: Template = {
  stack: 'Main',
  body: { Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'pages' } } } } as Template['body'],
  assets: {},
};
const arn = 'arn:aws:sqs:us-east-1:000000000000:pages';

let queues: Queues;
beforeEach(async () => {
  queues = await openQueues(resolveTemplates([template], environment), environment, undefined, undefined);
  return () => queues.close();
});

async function send(target: string, input: object): Promise<void> {
  const body = Buffer.from(JSON.stringify({ QueueUrl: 'http://127.0.0.1:4000/000000000000/pages', ...input }));
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${target}` };
  expect(await queues.handle({ method: 'POST', url: '/', headers, body })).toMatchObject({ status: 200 });
}

const sendOne = (MessageBody: string, MessageGroupId?: string) => send('SendMessage', { MessageBody, MessageGroupId });
const sendMany = (bodies: string[], MessageGroupId?: string) =>
  send('SendMessageBatch', {
    Entries: bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody, MessageGroupId })),
  });
const receive = (count: number) => queues.receive(queues.queue(arn)!, count).map(({ Body }) => Body);

it('hands out the message of a group with nothing in flight before the older ones of a group that has', async () => {
  await sendMany(['a1', 'a2', 'a3', 'a4'], 'a');
  expect(receive(2)).toEqual(['a1', 'a2']);
  await sendOne('b1', 'b');
  expect(receive(2)).toEqual(['b1', 'a3']);
  expect(receive(2)).toEqual(['a4']);
});

it('takes turns between groups that wait, each in its order', async () => {
  await sendMany(['a1', 'a2', 'a3'], 'a');
  await sendMany(['b1', 'b2', 'b3'], 'b');
  expect(receive(4)).toEqual(['a1', 'b1', 'a2', 'b2']);
});

it('makes each message without a group a group of its own', async () => {
  await sendMany(['a1', 'a2'], 'a');
  await sendMany(['x', 'y']);
  expect(receive(1)).toEqual(['a1']);
  expect(receive(3)).toEqual(['x', 'y', 'a2']);
});

it('hands out messages without groups in the order in which they came', async () => {
  await sendMany(['x', 'y', 'z']);
  expect([receive(1), receive(2)]).toEqual([['x'], ['y', 'z']]);
});
