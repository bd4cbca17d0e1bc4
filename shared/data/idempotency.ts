import { epochSeconds, timestamp } from '../domain/time.ts';
import { type Key, keys } from './keys.ts';
import * as table from './table.ts';

const keptSeconds = 24 * 3600;
const leaseSeconds = 60;
/** An item has at most 400 KB, of which the memoized values need some. */
const partBytes = 300_000;

/** A claimed Idempotency-Key: its request, the values that its operation memoized, and its answer once there is one. */
export interface IdempotencyItem extends Key {
  /** Hash of method, path and body. */
  request: string;
  operation_id: string;
  started_at: string;
  lease_until: number;
  lease_id: string;
  remembered?: Record<string, unknown>;
  status?: number;
  /** gzip of the response body, or the body sealed; absent when it is too large for the item. */
  body?: Uint8Array;
  /** Number of the items beside this one that have it then. */
  parts?: number;
  ttl: number;
}

/** The outcome of a claim: `claimed` may work now, perhaps again; `taken` shows the record that has the key. */
export type Claim = { outcome: 'claimed' | 'taken'; item: IdempotencyItem };

/** Claims a key for a request; takes over a claim whose lease ran out without an answer. */
export async function claim(teamId: number, key: string, request: string, leaseId: string): Promise<Claim> {
  const at = epochSeconds();
  const fresh: IdempotencyItem = {
    ...keys.idempotency(teamId, key),
    request,
    operation_id: leaseId,
    started_at: timestamp(),
    lease_until: at + leaseSeconds,
    lease_id: leaseId,
    ttl: at + keptSeconds,
  };
  if (await table.putNew(fresh)) return { outcome: 'claimed', item: fresh };
  const existing = await table.get<IdempotencyItem>(keys.idempotency(teamId, key));
  if (!existing) return { outcome: 'taken', item: fresh };
  // This claim was written by an attempt whose answer was lost.
  if (existing.lease_id === leaseId) return { outcome: 'claimed', item: existing };
  if (existing.ttl <= at && (await replaced(existing, fresh))) return { outcome: 'claimed', item: fresh };
  if (existing.ttl <= at || existing.request !== request || existing.status !== undefined || existing.lease_until > at)
    return { outcome: 'taken', item: existing };
  const resumed = await table.updateIf<IdempotencyItem>({
    Key: keys.idempotency(teamId, key),
    UpdateExpression: 'SET lease_until = :until, lease_id = :lease',
    ConditionExpression: 'lease_id IN (:old, :lease) AND attribute_not_exists(#status)',
    ExpressionAttributeValues: { ':until': at + leaseSeconds, ':lease': leaseId, ':old': existing.lease_id },
  });
  return resumed ? { outcome: 'claimed', item: resumed } : { outcome: 'taken', item: existing };
}

function replaced(expired: IdempotencyItem, fresh: IdempotencyItem): Promise<boolean> {
  const values = { ':old': expired.lease_id };
  const put = { Item: fresh, ConditionExpression: 'lease_id = :old', ExpressionAttributeValues: values };
  return table.transactIf([{ Put: put }]);
}

/** Memoizes a value of the operation under a name; returns the one that was stored first. */
export async function memoize(teamId: number, key: string, name: string, value: unknown): Promise<unknown> {
  const Key = keys.idempotency(teamId, key);
  await table.writeIf({
    Key,
    UpdateExpression: 'SET remembered = if_not_exists(remembered, :none)',
    ExpressionAttributeValues: { ':none': {} },
  });
  const item = await table.update<IdempotencyItem>({
    Key,
    UpdateExpression: 'SET remembered.#name = if_not_exists(remembered.#name, :value)',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':value': value },
    ReturnValues: 'ALL_NEW',
  });
  return item!.remembered![name];
}

/** Clears a memoized value of the operation. */
export async function clear(teamId: number, key: string, name: string): Promise<void> {
  await table.writeIf({
    Key: keys.idempotency(teamId, key),
    UpdateExpression: 'REMOVE remembered.#name',
    ConditionExpression: 'attribute_exists(remembered)',
    ExpressionAttributeNames: { '#name': name },
  });
}

/** Stores the answer for replays, unless another request has taken the lease. */
export async function complete(
  teamId: number,
  key: string,
  leaseId: string,
  status: number,
  body: Uint8Array,
): Promise<void> {
  if (body.length <= partBytes) return setWhileLeased(teamId, key, leaseId, { status, body });
  const parts = Math.ceil(body.length / partBytes);
  const ttl = epochSeconds() + keptSeconds;
  for (let part = 0; part < parts; part++) {
    const some = body.subarray(part * partBytes, (part + 1) * partBytes);
    await table.put({ Item: { ...keys.idempotencyPart(teamId, leaseId, part), body: some, ttl } });
  }
  await setWhileLeased(teamId, key, leaseId, { status, parts });
}

/** Reads the stored answer of a record, as it was completed. */
export async function answer(teamId: number, { body, parts, lease_id }: IdempotencyItem): Promise<Uint8Array> {
  if (body) return body;
  const wanted = Array.from({ length: parts! }, (_, part) => keys.idempotencyPart(teamId, lease_id, part));
  const found = await table.batchGet<{ body: Uint8Array }>(wanted);
  return Buffer.concat(found.map((part) => part!.body));
}

/** Frees the key without an answer (5xx, 429, 403): the next attempt runs again, with the memoized values. */
export function release(teamId: number, key: string, leaseId: string): Promise<void> {
  return setWhileLeased(teamId, key, leaseId, { lease_until: 0 });
}

async function setWhileLeased(teamId: number, key: string, leaseId: string, values: table.Item): Promise<void> {
  const update = table.changes({}, values, 'lease_id = :lease', { ':lease': leaseId });
  await table.writeIf({ Key: keys.idempotency(teamId, key), ...update });
}
