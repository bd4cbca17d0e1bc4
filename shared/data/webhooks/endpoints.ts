import { timestamp } from '../../domain/time.ts';
import { rotationOverlapMs } from '../../domain/webhooks/signatures.ts';
import { exhaustedLimit, type Subscription } from '../../domain/webhooks/webhook-event.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';

/** A webhook endpoint as stored. */
export interface WebhookItem extends Key {
  id: number;
  url: string;
  description?: string;
  events: Subscription[];
  is_active: boolean;
  /** The signing secret; shown only when it is made. */
  secret: string;
  /** The previous secret, which also signs for a day. */
  previous_secret?: string;
  rotated_at?: string;
  last_delivered_at?: string;
  /** Failed attempts since the last success. */
  consecutive_failures: number;
  /** Deliveries in a row whose every attempt failed. */
  exhausted: number;
  /** Attempts in progress, when the last one began and ended, and how long it took (milliseconds). */
  busy?: number;
  busy_at?: number;
  ended_at?: number;
  pace_ms?: number;
  /** Until when slots are reserved, while none is free. */
  booked_until?: number;
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

/** Stores a new endpoint; idempotent for the same id. */
export async function create(
  teamId: number,
  made: { id: number; secret: string },
  input: { url: string; description?: string | null; events: Subscription[] },
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
  return (await table.putNew(item)) ? item : ((await find(teamId, made.id)) ?? item);
}

/** The reads of endpoints. */
export const { find, list } = numbered<WebhookItem>(partitions.webhooks, keys.webhook);

/** The team's active endpoints, in one consistent read. */
export async function active(teamId: number): Promise<WebhookItem[]> {
  const own = table.within(partitions.webhooks(teamId));
  return (await table.all<WebhookItem>({ ...own, ConsistentRead: true })).filter(({ is_active }) => is_active);
}

/** Writes the given fields; an endpoint that is switched on again starts without failures. Undefined when absent. */
export function update(teamId: number, before: WebhookItem, input: WebhookInput): Promise<WebhookItem | undefined> {
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
  const cleared = description === null || description === '' ? { description: before.description } : {};
  return updateIf(teamId, before.id, table.changes(cleared, after));
}

type Update = Omit<Parameters<typeof table.updateIf>[0], 'Key'>;

/** Updates an endpoint if it exists, and if a condition holds; undefined when it did not. */
function updateIf(teamId: number, id: number, input: Update, condition?: string): Promise<WebhookItem | undefined> {
  const ConditionExpression = condition ? `attribute_exists(pk) AND (${condition})` : 'attribute_exists(pk)';
  return table.updateIf<WebhookItem>({ Key: keys.webhook(teamId, id), ...input, ConditionExpression });
}

/** Sets a new secret and keeps the one before; idempotent for the same secret. Undefined when absent. */
export async function rotate(teamId: number, id: number, secret: string): Promise<WebhookItem | undefined> {
  const update = {
    UpdateExpression: 'SET previous_secret = secret, rotated_at = :now, secret = :secret, updated_at = :now',
    ExpressionAttributeValues: { ':secret': secret, ':now': timestamp() },
  };
  const rotated = await updateIf(teamId, id, update, 'secret <> :secret');
  return rotated ?? find(teamId, id);
}

/** Deletes an endpoint; its deliveries expire. */
export async function remove(teamId: number, id: number): Promise<void> {
  await table.remove({ Key: keys.webhook(teamId, id) });
}

/** The secrets that sign now, the new one first. */
export function secretsOf({ secret, previous_secret, rotated_at }: WebhookItem): string[] {
  const overlaps = rotated_at !== undefined && Date.now() - Date.parse(rotated_at) < rotationOverlapMs;
  return overlaps && previous_secret !== undefined ? [secret, previous_secret] : [secret];
}

/** Concurrent attempts at one endpoint, by all workers together, and at one whose attempts end quickly. */
const maxAttempts = 10;
const maxQuickAttempts = 50;
const recentMs = 1_000;
/** An attempt takes at most 15 seconds: if none began for this long, those in progress have died. */
const staleMs = 20_000;
const [minPaceMs, unknownPaceMs, maxPaceMs] = [100, 1_000, 15_000] as const;

/** Acquires one of the endpoint's slots, so that a slow one cannot hold all workers; false when none is free. */
export async function acquireSlot(teamId: number, id: number): Promise<boolean> {
  const now = Date.now();
  const begin = (UpdateExpression: string, condition: string, values: table.Item) => {
    const ExpressionAttributeValues = { ':one': 1, ':now': now, ...values };
    return updateIf(teamId, id, { UpdateExpression, ExpressionAttributeValues, ReturnValues: 'NONE' }, condition);
  };
  const free = 'attribute_not_exists(busy) OR busy < :max OR (busy < :quick AND ended_at > :recent)';
  const limits = { ':max': maxAttempts, ':quick': maxQuickAttempts, ':recent': now - recentMs };
  if (await begin('SET busy_at = :now ADD busy :one', free, limits)) return true;
  const stale = { ':stale': now - staleMs };
  return (await begin('SET busy_at = :now, busy = :one', 'busy_at < :stale', stale)) !== undefined;
}

/** Milliseconds since an attempt at an endpoint last began or ended. */
const idleMs = ({ busy_at = Date.now(), ended_at = 0 }: WebhookItem): number =>
  Date.now() - Math.max(busy_at, ended_at);

/** Whether a slot is unlikely to become free soon. */
export const isStuck = (endpoint: WebhookItem): boolean => isDegraded(endpoint) || idleMs(endpoint) > recentMs;

/** Reserves a slot when none is free; returns the milliseconds until then, by how long attempts take. */
export async function reserveSlot(teamId: number, endpoint: WebhookItem): Promise<number> {
  const { id, pace_ms = unknownPaceMs } = endpoint;
  const attemptMs = Math.min(maxPaceMs, Math.max(minPaceMs, pace_ms, idleMs(endpoint)));
  const slotMs = Math.ceil(attemptMs / maxAttempts);
  const now = Date.now();
  const first = {
    UpdateExpression: 'SET booked_until = :until',
    ExpressionAttributeValues: { ':until': now + 2 * slotMs, ':now': now },
  };
  if (await updateIf(teamId, id, first, 'attribute_not_exists(booked_until) OR booked_until < :now')) return slotMs;
  const next = await updateIf(teamId, id, {
    UpdateExpression: 'ADD booked_until :slot',
    ExpressionAttributeValues: { ':slot': slotMs },
  });
  return Math.max(slotMs, (next?.booked_until ?? now) - slotMs - now);
}

/** The end of an attempt; `gone`: the receiver wants no more events, `last`: no attempt follows. */
export type AttemptEnd =
  | { succeeded: true; ms: number }
  | { succeeded: false; ms: number; gone: boolean; last: boolean };

/** Counts an attempt and frees its slot; an endpoint that is gone or failed too many deliveries is switched off. */
export async function endAttempt(teamId: number, id: number, end: AttemptEnd): Promise<void> {
  const counters = end.succeeded
    ? ', consecutive_failures = :none, exhausted = :none, last_delivered_at = :now ADD busy :less'
    : ' ADD busy :less, consecutive_failures :one, exhausted :last';
  const counts = end.succeeded ? { ':none': 0, ':now': timestamp() } : { ':one': 1, ':last': end.last ? 1 : 0 };
  const after = await updateIf(teamId, id, {
    UpdateExpression: `SET pace_ms = :ms, ended_at = :ended${counters}`,
    ExpressionAttributeValues: { ':ms': end.ms, ':ended': Date.now(), ':less': -1, ...counts },
  });
  if (end.succeeded || !after?.is_active) return;
  if (end.gone || after.exhausted >= exhaustedLimit) await switchOff(teamId, id, end.gone ? 0 : exhaustedLimit);
}

async function switchOff(teamId: number, id: number, exhausted: number): Promise<void> {
  const off = {
    UpdateExpression: 'SET is_active = :off, updated_at = :now',
    ExpressionAttributeValues: { ':off': false, ':now': timestamp(), ':exhausted': exhausted },
  };
  await updateIf(teamId, id, off, 'exhausted >= :exhausted');
}

const degradedFailures = 3;
const slowMs = 2_000;

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
