import type { Actor } from '../../domain/actor.ts';
import type { StoredSecret } from '../../domain/sealed.ts';
import { changedFields } from '../../domain/teams/audit.ts';
import { timestamp } from '../../domain/time.ts';
import { exhaustedLimit, idleMs, neverAcceptedLimit, silentLimitMs } from '../../domain/webhooks/retry-pace.ts';
import type { Subscription } from '../../domain/webhooks/webhook-event.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';
import { auditWrite } from '../teams/audit-log.ts';
import { all, writeWithin } from './limits.ts';

/** A webhook endpoint as stored. */
export interface WebhookItem extends Key {
  id: number;
  url: string;
  description?: string;
  events: Subscription[];
  is_active: boolean;
  /** The signing secret; shown only when it is made. */
  secret: StoredSecret;
  /** The previous secret, which also signs for a day. */
  previous_secret?: StoredSecret;
  rotated_at?: string;
  last_delivered_at?: string;
  /** Failed attempts since the last success. */
  consecutive_failures: number;
  /** Deliveries in a row whose every attempt failed. */
  exhausted: number;
  /** The first failed attempt since the last success or idle time, and the last one. */
  failing_since?: string;
  last_failed_at?: string;
  /** The run of the retry workflow, the steps it has worked, and until when it waits; absent while it works. */
  run?: number;
  run_steps?: number;
  run_until?: string;
  /** How long an attempt took lately (milliseconds). */
  pace_ms?: number;
  created_at: string;
  updated_at: string;
}

/** What a request may write of an endpoint. */
export interface WebhookInput {
  url?: string;
  description?: string | null;
  events?: Subscription[];
  is_active?: boolean;
}

/** Stores a new endpoint; idempotent for the same id. Throws 422 when the team or the host has too many. */
export async function create(
  teamId: number,
  made: { id: number; secret: StoredSecret },
  input: { url: string; description?: string | null; events: Subscription[] },
  by: Actor,
): Promise<WebhookItem> {
  const at = timestamp();
  const item: WebhookItem = {
    ...keys.webhook(teamId, made.id),
    id: made.id,
    url: input.url,
    description: input.description || undefined,
    events: input.events,
    is_active: true,
    secret: made.secret,
    consecutive_failures: 0,
    exhausted: 0,
    created_at: at,
    updated_at: at,
  };
  const row = auditWrite(teamId, by, 'webhook.created', made.id, { after: audited(item) });
  const put = { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } };
  await writeWithin(teamId, { key: item, url: item.url }, (stored) => (stored ? undefined : put), row);
  return (await find(teamId, made.id)) ?? item;
}

/** What the audit log shows of an endpoint: of its URL the origin, since a path may be a secret. */
const audited = ({ url, description, events, is_active }: WebhookItem) => ({
  url: new URL(url).origin,
  description,
  events,
  is_active,
});

/** The reads of endpoints. */
export const { find, list } = numbered<WebhookItem>(partitions.webhooks, keys.webhook);

/** The team's active endpoints, in one consistent read. */
export async function active(teamId: number): Promise<WebhookItem[]> {
  return (await all<WebhookItem>(teamId)).filter(({ is_active }) => is_active);
}

/**
 * Writes the given fields; an endpoint that is switched on again starts without failures. Undefined when absent; throws
 * 422 when a new host has too many.
 */
export async function update(
  teamId: number,
  before: WebhookItem,
  input: WebhookInput,
  by: Actor,
): Promise<WebhookItem | undefined> {
  const { url, description, events, is_active } = input;
  const revived = is_active === true && !before.is_active;
  const after: Partial<WebhookItem> = {
    updated_at: timestamp(),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(description && { description }),
    ...(is_active !== undefined && { is_active }),
    ...(revived && { consecutive_failures: 0, exhausted: 0 }),
  };
  const cleared = {
    ...((description === null || description === '') && { description: before.description }),
    ...(revived && { failing_since: before.failing_since }),
  };
  const Key = keys.webhook(teamId, before.id);
  const write = { Update: { Key, ...table.changes(cleared, after), ConditionExpression: 'attribute_exists(pk)' } };
  const next = { ...before, ...after, ...(description !== undefined && { description: description || undefined }) };
  const changed = changedFields(audited(before), audited(next));
  // A change of the rest of a URL shows as well.
  if (url !== undefined && url !== before.url) Object.assign(changed.after, { url: new URL(url).origin });
  const row = auditWrite(teamId, by, 'webhook.updated', before.id, changed);
  if (url === undefined) await table.transactIf([write, row]);
  else await writeWithin(teamId, { key: Key, url }, (stored) => stored && write, row);
  return find(teamId, before.id);
}

type Update = Omit<Parameters<typeof table.updateIf>[0], 'Key'>;

/** Updates an endpoint if it exists, and if a condition holds; undefined when it did not. */
export function updateIf(
  teamId: number,
  id: number,
  input: Update,
  condition?: string,
): Promise<WebhookItem | undefined> {
  const ConditionExpression = condition ? `attribute_exists(pk) AND (${condition})` : 'attribute_exists(pk)';
  return table.updateIf<WebhookItem>({ Key: keys.webhook(teamId, id), ...input, ConditionExpression });
}

/** Sets a new secret and keeps the one before; idempotent for the same stored form. Undefined when absent. */
export async function rotate(
  teamId: number,
  id: number,
  secret: StoredSecret,
  by: Actor,
): Promise<WebhookItem | undefined> {
  const update = {
    Key: keys.webhook(teamId, id),
    UpdateExpression: 'SET previous_secret = secret, rotated_at = :now, secret = :secret, updated_at = :now',
    ConditionExpression: 'attribute_exists(pk) AND secret <> :secret',
    ExpressionAttributeValues: { ':secret': secret, ':now': timestamp() },
  };
  await table.transactIf([{ Update: update }, auditWrite(teamId, by, 'webhook.secret_rotated', id)]);
  return find(teamId, id);
}

/** Deletes an endpoint; its deliveries expire. */
export async function remove(teamId: number, id: number, by: Actor): Promise<void> {
  const found = await find(teamId, id);
  if (!found) return;
  await table.transactIf([
    { Delete: { Key: keys.webhook(teamId, id), ConditionExpression: 'attribute_exists(pk)' } },
    auditWrite(teamId, by, 'webhook.deleted', id, { before: audited(found) }),
  ]);
}

/** The end of an attempt; `gone`: the receiver wants no more events, `last`: no attempt follows. */
export type AttemptEnd =
  | { succeeded: true; ms: number }
  | { succeeded: false; ms: number; gone: boolean; last: boolean };

const succeeded =
  'SET pace_ms = :ms, consecutive_failures = :none, exhausted = :none, last_delivered_at = :now REMOVE failing_since';
const failed = (since: string): string =>
  `SET pace_ms = :ms, last_failed_at = :now, failing_since = ${since} ADD consecutive_failures :one, exhausted :last`;
const firstFailure = ({ last_failed_at = '' }: WebhookItem): string =>
  last_failed_at < timestamp(Date.now() - idleMs) ? ':now' : 'if_not_exists(failing_since, :now)';

/** A success is not written when one within the last second was: at a high rate each would be a write to one row. */
const writtenMs = 1_000;

function isWritten({ pace_ms = 0, last_delivered_at, ...endpoint }: WebhookItem, end: AttemptEnd): boolean {
  if (!end.succeeded || endpoint.consecutive_failures > 0 || endpoint.exhausted > 0) return false;
  const age = Date.now() - Date.parse(last_delivered_at ?? '');
  return age < writtenMs && end.ms < slowMs && pace_ms < slowMs;
}

/**
 * Counts an attempt at an endpoint that was just read. One that is gone, failed too many deliveries in a row or has
 * accepted nothing for too long is switched off. The endpoint after that; undefined when absent.
 */
export async function endAttempt(
  teamId: number,
  before: WebhookItem,
  end: AttemptEnd,
): Promise<WebhookItem | undefined> {
  if (isWritten(before, end)) return before;
  const counts = end.succeeded ? { ':none': 0 } : { ':one': 1, ':last': end.last ? 1 : 0 };
  const after = await updateIf(teamId, before.id, {
    UpdateExpression: end.succeeded ? succeeded : failed(firstFailure(before)),
    ExpressionAttributeValues: { ':ms': end.ms, ':now': timestamp(), ...counts },
  });
  if (end.succeeded || !after?.is_active) return after;
  const exhausted = after.last_delivered_at === undefined ? neverAcceptedLimit : exhaustedLimit;
  const limits = { ':exhausted': exhausted, ':silent': timestamp(Date.now() - silentLimitMs) };
  const hopeless = after.exhausted >= exhausted || after.failing_since! <= limits[':silent'];
  if (!end.gone && !hopeless) return after;
  const off = {
    UpdateExpression: 'SET is_active = :off, updated_at = :now',
    ExpressionAttributeValues: { ':off': false, ':now': timestamp(), ...(!end.gone && limits) },
  };
  const condition = end.gone ? undefined : 'exhausted >= :exhausted OR failing_since <= :silent';
  return (await updateIf(teamId, before.id, off, condition)) ?? after;
}

const degradedFailures = 3;
/** An attempt that takes this long (milliseconds) is slow. */
export const slowMs = 2_000;

/** Whether an endpoint fails or is slow: the workflow then makes its attempts, not the shared queue. */
export const isDegraded = ({ consecutive_failures, pace_ms = 0 }: WebhookItem): boolean =>
  consecutive_failures >= degradedFailures || pace_ms >= slowMs;

/** The endpoint as the API shows it: without its secret. */
export function view(item: WebhookItem) {
  return {
    id: item.id,
    url: item.url,
    description: item.description ?? null,
    events: item.events,
    is_active: item.is_active,
    last_delivered_at: item.last_delivered_at ?? null,
    consecutive_failures: item.consecutive_failures,
  };
}
