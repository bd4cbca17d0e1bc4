import { createHmac } from 'node:crypto';
import { epochSeconds } from '../../domain/time.ts';
import { deliveryDays } from '../../domain/webhooks/webhook-event.ts';
import { deliveryPrefix, type Key, keys, partitions } from '../keys.ts';
import { firstSigningKey } from '../signing-key.ts';
import * as table from '../table.ts';
import { type AttemptItem, type Delivery, emptied } from './deliveries.ts';
import * as retries from './retries.ts';

/** That an address was erased, for as long as a delivery about it may be on its way. */
interface ErasureItem extends Key {
  /** The erased contact. */
  contact_id: number;
  /** Other events with the address are the erased contact's when they are from before this time. */
  before: string;
  ttl: number;
}

/** The key has a hash of the address, which only its holder can find again. */
async function erasureKey(teamId: number, email: string): Promise<Key> {
  const hash = createHmac('sha256', await firstSigningKey())
    .update(`erased.${teamId}.${email}`)
    .digest('base64url');
  return keys.erasedAddress(teamId, hash);
}

interface Body {
  created_at: string;
  data: { id?: number; contact_id?: number | null; email?: string };
}

/** Whether the address in a delivery was erased since its event. */
export async function isErased(teamId: number, { type, body }: Delivery): Promise<boolean> {
  const { created_at, data } = JSON.parse(body) as Body;
  if (data.email === undefined) return false;
  const erasure = await table.get<ErasureItem>(await erasureKey(teamId, data.email));
  const contactId = type.startsWith('contact.') ? data.id : data.contact_id;
  return erasure !== undefined && (contactId === erasure.contact_id || created_at < erasure.before);
}

/** Whether a delivery is to be made no more: the address in it is erased, and it is not what tells receivers so. */
export async function isEnded(teamId: number, delivery: Delivery): Promise<boolean> {
  return delivery.type !== 'contact.deleted' && (await isErased(teamId, delivery));
}

const anonymizedPerQuery = 100;

/** From now on deliveries about a contact, erased at a time, are made no more, and recorded without their data. */
export async function mark(
  teamId: number,
  { email, contact_id, at }: { email: string; contact_id: number; at: string },
): Promise<void> {
  const key = await erasureKey(teamId, email);
  const erasure: ErasureItem = { ...key, contact_id, before: at, ttl: epochSeconds() + deliveryDays * 86_400 };
  // A later contact with the address may be erased, too.
  const update = table.changes(key, erasure, 'attribute_not_exists(pk) OR #before <= :before');
  await table.writeIf({ Key: key, ...update });
}

/** Empties attempts from before a time and ends open ones, except `contact.deleted`; false at the deadline. */
export async function anonymize(teamId: number, email: string, before: string, deadline: number): Promise<boolean> {
  const rows = table.queryAll<Key>({
    IndexName: 'gsi2',
    KeyConditionExpression: 'gsi2pk = :pk AND gsi2sk <= :before',
    ExpressionAttributeValues: { ':pk': partitions.deliveriesAbout(teamId, email), ':before': before },
    Limit: anonymizedPerQuery,
  });
  for await (const { pk, sk } of rows) {
    if (Date.now() > deadline) return false;
    const item = await table.get<AttemptItem>({ pk, sk });
    if (!item) continue;
    if (sk.startsWith(deliveryPrefix)) await anonymizeAttempt(item);
    else if (item.type !== 'contact.deleted') await retries.end({ pk, sk });
  }
  return true;
}

async function anonymizeAttempt({ pk, sk, body }: AttemptItem): Promise<void> {
  await table.writeIf({
    Key: { pk, sk },
    UpdateExpression: 'SET body = :body, response_body = :none REMOVE gsi2pk, gsi2sk',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':body': emptied(body), ':none': null },
  });
}
