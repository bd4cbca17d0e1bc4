import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, GetQueueUrlCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { awsOf, type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailwright-poison-'));
let stack: Stack;
let team: Team;
let sqs: SQSClient;

beforeAll(async () => {
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
  sqs = new SQSClient(awsOf(folder));
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = async (QueueName: string) => (await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl!;

async function deadLetters(): Promise<number> {
  const QueueUrl = await urlOf('mailwright-dev-feedback-dead');
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes!.ApproximateNumberOfMessages);
}

/** SES's report of a bounced message of the team. */
const bounce = (email: string, bounceType = 'Permanent', tags: object = {}): string =>
  JSON.stringify({
    eventType: 'Bounce',
    mail: {
      messageId: `0100-${email.slice(0, 40)}`,
      timestamp: new Date().toISOString(),
      destination: [email],
      tags: { team: [String(team.id)], ...tags },
    },
    bounce: {
      timestamp: new Date().toISOString(),
      bounceType,
      bounceSubType: 'General',
      bouncedRecipients: [{ emailAddress: email }],
    },
  });

it.each(['Permanent', 'Transient', 'Undetermined'])(
  'a %s bounce of a person erased since is stored without the address',
  async (type) => {
    const email = `erased-${type.toLowerCase()}@example.com`;
    const count = async () => (await everyRow(team, '/events')).length;
    const before = await count();
    const QueueUrl = await urlOf('mailwright-dev-feedback');
    const Entries = [{ Id: '0', MessageBody: bounce(email, type, { contact: ['999999'] }) }];
    await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    await expect.poll(count, { timeout: 30_000 }).toBe(before + 1);
    const [event] = await everyRow(team, '/events');
    expect(event).toMatchObject({
      email: 'erased@anonymized.invalid',
      event: 'bounced',
      contact_id: null,
      metadata: {},
    });
    expect(await everyRow(team, `/events?email=${email}`)).toEqual([]);
  },
);

it('a message that cannot be applied delays no other, and can be redriven from the dead-letter queue', async () => {
  const people = Array.from({ length: 6 }, (_, index) => `p${index}@example.com`);
  await team.api('POST', '/contacts/bulk', { contacts: people.map((email) => ({ email })) });
  // One is not JSON; one names an address that no key of the table can hold.
  const bodies = [
    ...people.map((email) => bounce(email)),
    '{"eventType": ',
    bounce(`${'x'.repeat(3_000)}@example.com`),
  ];
  await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: await urlOf('mailwright-dev-feedback'),
      Entries: bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
    }),
  );
  const statuses = async () => {
    const { body } = await team.api('GET', '/contacts');
    return new Set(body.data.map(({ status }: { status: string }) => status));
  };
  await expect.poll(statuses, { timeout: 30_000 }).toEqual(new Set(['bounced']));
  // Five attempts, each after the previous one is visible again.
  await expect
    .poll(
      async () => {
        await control('POST', '/clock', { advance_seconds: 400 }, stack.origin);
        return deadLetters();
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toBe(2);
  expect(await operate(folder, 'queue redrive', { queue: 'feedback' })).toEqual({ queue: 'feedback', moved: 2 });
  expect(await deadLetters()).toBe(0);
  expect(await operate(folder, 'queue redrive', { queue: 'nothing' })).toMatchObject({
    error: { code: 'validation_error', message: expect.stringContaining('send') },
  });
});
