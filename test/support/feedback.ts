import { GetQueueUrlCommand, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { concurrently } from '../../shared/domain/concurrently.ts';

/** The queue that receives SES's feedback. */
const feedbackQueue = 'mailwright-dev-feedback';
/** The dead-letter queue of feedback. */
export const feedbackDeadLetters = 'mailwright-dev-feedback-dead';

const perCall = 10;
const concurrency = 4;

/** An event that SES publishes about one message. */
export interface Report {
  kind: 'delivered' | 'opened' | 'clicked' | 'hard_bounce' | 'soft_bounce' | 'complaint' | 'deferred';
  email: string;
  /** Milliseconds. */
  at: number;
  /** The tags of the message. */
  tags: Record<string, string | number>;
  url?: string;
  agent?: string;
  /** Whether SES marks it as a machine's. */
  bot?: boolean;
}

/** The body that SNS queues for a report; the same report gives the same text. */
export function sesNotification({ kind, email, at, tags, url, agent, bot }: Report): string {
  const timestamp = new Date(at).toISOString();
  const people = [{ emailAddress: email }];
  const visit = { timestamp, userAgent: agent, ipAddress: '203.0.113.9', ...(bot && { isBotEvent: 'Likely' }) };
  const bounce = (bounceType: string) => ({
    eventType: 'Bounce',
    bounce: { timestamp, bounceType, bounceSubType: 'General', bouncedRecipients: people },
  });
  const detail = {
    delivered: () => ({ eventType: 'Delivery', delivery: { timestamp, recipients: [email] } }),
    opened: () => ({ eventType: 'Open', open: visit }),
    clicked: () => ({ eventType: 'Click', click: { ...visit, link: url } }),
    hard_bounce: () => bounce('Permanent'),
    soft_bounce: () => bounce('Transient'),
    complaint: () => ({ eventType: 'Complaint', complaint: { timestamp, complainedRecipients: people } }),
    deferred: () => ({
      eventType: 'DeliveryDelay',
      deliveryDelay: { timestamp, delayType: 'MailboxFull', delayedRecipients: people },
    }),
  }[kind]();
  const mail = {
    messageId: `0100-${tags.campaign}-${email}`,
    timestamp: new Date(at - 60_000).toISOString(),
    destination: [email],
    tags: Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [String(value)]])),
  };
  return JSON.stringify({ Type: 'Notification', Message: JSON.stringify({ ...detail, mail }) });
}

/** The URL of a queue by its name. */
export async function queueUrl(sqs: SQSClient, QueueName: string): Promise<string> {
  return (await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl!;
}

/** Puts messages on the feedback queue, ten a call, a few calls at once. */
export async function putFeedback(sqs: SQSClient, bodies: readonly string[]): Promise<void> {
  const QueueUrl = await queueUrl(sqs, feedbackQueue);
  const calls = Array.from({ length: Math.ceil(bodies.length / perCall) }, (_, at) =>
    bodies.slice(at * perCall, (at + 1) * perCall),
  );
  await concurrently(calls, concurrency, async (some) => {
    const Entries = some.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    const { Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed?.length) throw new Error(`the queue refused ${Failed.length} messages`);
  });
}
