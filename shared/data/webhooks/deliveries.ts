import { randomBytes } from 'node:crypto';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { deliveryDays, type WebhookEventType } from '../../domain/webhooks/webhook-event.ts';
import { deliveryPrefix, type IndexKeys, type Key, keys, partitions } from '../keys.ts';
import { filtered, merged, type Search } from '../paging.ts';
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

/** Over so many partitions the attempts at an endpoint are spread; earlier versions had one, then eight. */
const deliveryShards = 16;

/** When the rows of a delivery expire. */
export const expiry = (): number => epochSeconds() + deliveryDays * 86_400;

/** An id for an attempt: 53 random bits. A counter would be one item that all attempts of a team wait for. */
const attemptId = (): number => Number(randomBytes(8).readBigUInt64BE() >> 11n) || 1;

/** The index keys of a delivery, by the address in its data. */
export function addressKeys(teamId: number, { body }: Delivery): IndexKeys {
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
  const key = keys.delivery(teamId, webhookId, id % deliveryShards, timestamp(), id);
  const shown = erased
    ? { ...attempted, body: emptied(body), response_body: null }
    : { ...attempted, body, ...addressKeys(teamId, delivery) };
  const item: AttemptItem = { ...key, id, event_id, type, ...shown, ttl: expiry() };
  await table.put({ Item: item });
}

/** The attempts at an endpoint in the last 30 days, newest first. */
export function list(teamId: number, webhookId: number): Search<AttemptItem> {
  const shards = Array.from({ length: deliveryShards }, (_, shard) =>
    partition<AttemptItem>({
      pk: partitions.deliveries(teamId, webhookId, shard),
      descending: true,
      low: deliveryPrefix,
      high: `${deliveryPrefix}~`,
    }),
  );
  const now = epochSeconds();
  return filtered(merged(shards, false), ({ ttl }) => ttl > now);
}

/** The attempt as the API shows it; without its data and the receiver's answer to who may not read what it tells. */
export function view({ id, event_id, type, body, ...item }: AttemptItem, readable: boolean) {
  return {
    id,
    event_type: type,
    event_id,
    payload: JSON.parse(readable ? body : emptied(body)) as Record<string, unknown>,
    response_status: item.response_status,
    response_body: readable ? item.response_body : null,
    attempt: item.attempt,
    succeeded: item.succeeded,
    error: item.error,
  };
}
