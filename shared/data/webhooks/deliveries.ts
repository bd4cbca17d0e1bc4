import { randomBytes } from 'node:crypto';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { deliveryDays, type WebhookEventType } from '../../domain/webhooks/webhook-event.ts';
import { deliveryPrefix, type IndexKeys, type Key, keys, partitions } from '../keys.ts';
import { filtered, type Search } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';

/** An event for one endpoint; every attempt sends the same body. */
export interface Delivery {
  event_id: string;
  type: WebhookEventType;
  body: string;
}

/** One attempt as it is stored; gsi2 finds it by the address in its data. */
export interface AttemptItem extends Delivery, Key, IndexKeys {
  id: number;
  response_status: number | null;
  response_body: string | null;
  attempt: number;
  succeeded: boolean;
  error: string | null;
  ttl: number;
}

/** The result of an attempt. */
export type Attempted = Pick<AttemptItem, 'response_status' | 'response_body' | 'attempt' | 'succeeded' | 'error'>;

const expiry = (): number => epochSeconds() + deliveryDays * 86_400;

/** An id for an attempt: 53 random bits. A counter would be one item that all attempts of a team wait for. */
const attemptId = (): number => Number(randomBytes(8).readBigUInt64BE() >> 11n) || 1;

/** The index keys of a delivery, by the address in its data. */
function indexKeys(teamId: number, { body }: Delivery): IndexKeys {
  const { email } = (JSON.parse(body) as { data: { email?: string } }).data;
  return email === undefined ? {} : { gsi2pk: partitions.deliveriesAbout(teamId, email), gsi2sk: timestamp() };
}

/** The body of a delivery without its data, as it is kept once the address in it is erased. */
export const emptied = (body: string): string => JSON.stringify({ ...JSON.parse(body), data: {} });

/** Records one attempt, without its data when it is about an erased address. */
export async function note(
  teamId: number,
  webhookId: number,
  delivery: Delivery,
  attempted: Attempted,
  erased: boolean,
): Promise<void> {
  const { event_id, type, body } = delivery;
  const id = attemptId();
  const key = keys.delivery(teamId, webhookId, timestamp(), id);
  const shown = erased
    ? { ...attempted, body: emptied(body), response_body: null }
    : { ...attempted, body, ...indexKeys(teamId, delivery) };
  const item: AttemptItem = { ...key, id, event_id, type, ...shown, ttl: expiry() };
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

/** A delivery that has attempts left, which a run of the workflow works on. */
export interface RetryItem extends Delivery, Key, IndexKeys {
  /** The attempt that comes next, and when. */
  attempt: number;
  next_at: string;
  /** Number of the workflow run in charge. */
  run: number;
  ttl: number;
}

const position = (next_at: string, eventId: string): string => `${next_at}#${eventId}`;

/** Begins the retries of a delivery; false when they have begun. */
export function begin(
  teamId: number,
  webhookId: number,
  delivery: Delivery,
  next: { attempt: number; next_at: string },
): Promise<boolean> {
  const { event_id, type, body } = delivery;
  const item: RetryItem = {
    ...indexKeys(teamId, delivery),
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

/** Sets the next attempt and its time, unless another run was first. */
export async function reschedule(item: RetryItem, next: { attempt: number; next_at: string }): Promise<void> {
  await table.writeIf({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET attempt = :attempt, next_at = :at, gsi1sk = :position',
    ConditionExpression: 'attribute_exists(pk) AND attempt = :seen',
    ExpressionAttributeValues: {
      ':attempt': next.attempt,
      ':at': next.next_at,
      ':position': position(next.next_at, item.event_id),
      ':seen': item.attempt,
    },
  });
}

/** Gives a delivery to another run of the workflow; undefined when it has ended or another was first. */
export function nextRun(item: RetryItem): Promise<RetryItem | undefined> {
  return table.updateIf<RetryItem>({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET run = :next',
    ConditionExpression: 'attribute_exists(pk) AND run = :seen',
    ExpressionAttributeValues: { ':next': item.run + 1, ':seen': item.run },
  });
}

/** Ends a delivery: there are no more attempts. */
export async function endRetries(item: Key): Promise<void> {
  await table.remove({ Key: { pk: item.pk, sk: item.sk } });
}

/** Up to `count` deliveries whose next attempt was due before a time, oldest first, after a position in the index. */
export async function overdue(
  teamId: number,
  webhookId: number,
  before: string,
  count: number,
  after = ' ',
): Promise<RetryItem[]> {
  if (after >= before) return [];
  const range = table.within(partitions.deliveryRetries(teamId, webhookId), {
    index: 'gsi1',
    between: [`${after}!`, before],
  });
  const { items } = await table.query<Key>({ ...range, Limit: count });
  const found = await table.batchGet<RetryItem>(items.map(({ pk, sk }) => ({ pk, sk })));
  return found.flatMap((item) => item ?? []);
}

/** How many deliveries of an endpoint have attempts left: `limit` at most. */
export async function countRetries(teamId: number, webhookId: number, limit: number): Promise<number> {
  const retries = table.within(partitions.deliveryRetries(teamId, webhookId), { index: 'gsi1' });
  return (await table.query({ ...retries, Limit: limit })).items.length;
}
