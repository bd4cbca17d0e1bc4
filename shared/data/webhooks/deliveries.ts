import { randomBytes } from 'node:crypto';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { deliveryDays, type WebhookEventType } from '../../domain/webhooks/webhook-event.ts';
import { deliveryPrefix, keys, partitions } from '../keys.ts';
import { filtered, type Search } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';

/** An event on its way to one endpoint: its body is sent as it is, at every attempt. */
export interface Delivery {
  event_id: string;
  type: WebhookEventType;
  body: string;
}

/** One attempt, as stored; the index finds what is about an address. */
interface AttemptItem extends Delivery {
  pk: string;
  sk: string;
  gsi2pk?: string;
  gsi2sk?: string;
  id: number;
  response_status: number | null;
  response_body: string | null;
  attempt: number;
  succeeded: boolean;
  error: string | null;
  ttl: number;
}

/** What an attempt came to. */
export type Attempted = Pick<AttemptItem, 'response_status' | 'response_body' | 'attempt' | 'succeeded' | 'error'>;

const expiry = (): number => epochSeconds() + deliveryDays * 86_400;

/** An id for an attempt: 53 random bits, since a number that counts would be one item that all attempts of a team wait for. */
const attemptId = (): number => Number(randomBytes(8).readBigUInt64BE() >> 11n) || 1;

/** Where what a delivery tells of an address is found. */
function about(teamId: number, { body }: Delivery): { gsi2pk?: string; gsi2sk?: string } {
  const { email } = (JSON.parse(body) as { data: { email?: string } }).data;
  return email === undefined ? {} : { gsi2pk: partitions.deliveriesAbout(teamId, email), gsi2sk: timestamp() };
}

/** Writes down one attempt. */
export async function note(teamId: number, webhookId: number, delivery: Delivery, attempted: Attempted): Promise<void> {
  const { event_id, type, body } = delivery;
  const id = attemptId();
  const key = keys.delivery(teamId, webhookId, timestamp(), id);
  const item: AttemptItem = {
    ...key,
    ...about(teamId, delivery),
    id,
    event_id,
    type,
    body,
    ...attempted,
    ttl: expiry(),
  };
  await table.put({ Item: item });
}

/** The attempts at an endpoint in the last 30 days, newest first. */
export function list(teamId: number, webhookId: number): Search<AttemptItem> {
  const source = partition<AttemptItem>({
    pk: partitions.deliveries(teamId, webhookId),
    descending: true,
    low: deliveryPrefix,
    high: `${deliveryPrefix}~`,
  });
  const now = epochSeconds();
  return filtered(source, ({ ttl }) => ttl > now);
}

/** The attempt as the API shows it. */
export function view({ id, event_id, type, body, ...item }: AttemptItem) {
  return {
    id,
    event_type: type,
    event_id,
    payload: JSON.parse(body) as Record<string, unknown>,
    response_status: item.response_status,
    response_body: item.response_body,
    attempt: item.attempt,
    succeeded: item.succeeded,
    error: item.error,
  };
}

/** A delivery that has attempts left: what a run of the workflow works from. */
export interface RetryItem extends Delivery {
  pk: string;
  sk: string;
  gsi1pk: string;
  gsi1sk: string;
  gsi2pk?: string;
  gsi2sk?: string;
  /** The attempt that comes next, and when. */
  attempt: number;
  next_at: string;
  /** Number of the workflow run in charge. */
  run: number;
  ttl: number;
}

const position = (next_at: string, eventId: string): string => `${next_at}#${eventId}`;

/** Begins the further attempts of a delivery; false when they have begun. */
export function begin(
  teamId: number,
  webhookId: number,
  delivery: Delivery,
  next: { attempt: number; next_at: string },
): Promise<boolean> {
  const { event_id, type, body } = delivery;
  const item: RetryItem = {
    ...about(teamId, delivery),
    ...keys.deliveryRetry(teamId, webhookId, event_id),
    gsi1pk: partitions.deliveryRetries(teamId, webhookId),
    gsi1sk: position(next.next_at, event_id),
    event_id,
    type,
    body,
    ...next,
    run: 1,
    ttl: expiry(),
  };
  return table.putNew(item);
}

/** Reads a delivery that has attempts left; undefined when it is over. */
export function findRetry(teamId: number, webhookId: number, eventId: string): Promise<RetryItem | undefined> {
  return table.get<RetryItem>(keys.deliveryRetry(teamId, webhookId, eventId));
}

/** Says which attempt comes next, and when; nothing where another run was there first. */
export async function reschedule(item: RetryItem, next: { attempt: number; next_at: string }): Promise<void> {
  await table.updateIf({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET attempt = :attempt, next_at = :at, gsi1sk = :position',
    ConditionExpression: 'attribute_exists(pk) AND attempt = :seen',
    ExpressionAttributeValues: {
      ':attempt': next.attempt,
      ':at': next.next_at,
      ':position': position(next.next_at, item.event_id),
      ':seen': item.attempt,
    },
    ReturnValues: 'NONE',
  });
}

/** Gives a delivery to another run of the workflow; undefined when it is over or another was first. */
export function nextRun(item: RetryItem): Promise<RetryItem | undefined> {
  return table.updateIf<RetryItem>({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET run = :next',
    ConditionExpression: 'attribute_exists(pk) AND run = :seen',
    ExpressionAttributeValues: { ':next': item.run + 1, ':seen': item.run },
  });
}

/** Ends a delivery: no attempt comes after. */
export async function endRetries(item: Pick<RetryItem, 'pk' | 'sk'>): Promise<void> {
  await table.remove({ Key: { pk: item.pk, sk: item.sk } });
}

/** Deliveries of an endpoint whose next attempt was due before a moment, oldest first: at most `count`. */
export async function overdue(teamId: number, webhookId: number, before: string, count: number): Promise<RetryItem[]> {
  const { items } = await table.query<{ pk: string; sk: string }>({
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk AND gsi1sk < :before',
    ExpressionAttributeValues: { ':pk': partitions.deliveryRetries(teamId, webhookId), ':before': before },
    Limit: count,
  });
  const found = await table.batchGet<RetryItem>(items.map(({ pk, sk }) => ({ pk, sk })));
  return found.flatMap((item) => item ?? []);
}

/** Whether an endpoint has deliveries with attempts left. */
export async function anyLeft(teamId: number, webhookId: number): Promise<boolean> {
  const { items } = await table.query({
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': partitions.deliveryRetries(teamId, webhookId) },
    Limit: 1,
  });
  return items.length > 0;
}

/** How many deliveries of an endpoint have attempts left: `limit` at most. */
export async function countRetries(teamId: number, webhookId: number, limit: number): Promise<number> {
  const { items } = await table.query({
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': partitions.deliveryRetries(teamId, webhookId) },
    Limit: limit,
  });
  return items.length;
}

const anonymizedAtOnce = 100;

/**
 * Takes a person out of what was sent before a moment, and ends what is still to be sent, but for the news that the contact is deleted; false when
 * the deadline came first.
 */
export async function anonymize(teamId: number, email: string, before: string, deadline: number): Promise<boolean> {
  const rows = table.queryAll<{ pk: string; sk: string }>({
    IndexName: 'gsi2',
    KeyConditionExpression: 'gsi2pk = :pk AND gsi2sk <= :before',
    ExpressionAttributeValues: { ':pk': partitions.deliveriesAbout(teamId, email), ':before': before },
    Limit: anonymizedAtOnce,
  });
  for await (const { pk, sk } of rows) {
    if (Date.now() > deadline) return false;
    const item = await table.get<AttemptItem>({ pk, sk });
    if (!item) continue;
    if (sk.startsWith(deliveryPrefix)) await forget(item);
    else if (item.type !== 'contact.deleted') await endRetries({ pk, sk });
  }
  return true;
}

async function forget({ pk, sk, body }: AttemptItem): Promise<void> {
  await table.updateIf({
    Key: { pk, sk },
    UpdateExpression: 'SET body = :body REMOVE gsi2pk, gsi2sk',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':body': JSON.stringify({ ...JSON.parse(body), data: {} }) },
    ReturnValues: 'NONE',
  });
}
