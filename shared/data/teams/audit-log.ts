import { createHash, createHmac } from 'node:crypto';
import type { Actor } from '../../domain/actor.ts';
import {
  type AuditAction,
  type AuditedChange,
  auditDays,
  boundedFields,
  withoutAddresses,
} from '../../domain/teams/audit.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { filtered, type Search, type Source } from '../paging.ts';
import { firstSigningKey } from '../signing-key.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';

const dayMs = 86_400_000;

/** A row of the audit log, which no function may change or delete (lib/grants.ts). */
export interface AuditItem extends Key {
  id: string;
  at: string;
  actor: { kind: Actor['kind']; key_id?: number; name: string };
  action: AuditAction;
  target: { type: string; id: string };
  before?: AuditedChange['before'];
  after?: AuditedChange['after'];
  ip?: string;
  request_id?: string;
  ttl: number;
}

/** A row as a write, for the transaction of its action; refused when the operation has written it before. */
export interface AuditWrite {
  Put: { Item: AuditItem; ConditionExpression: string };
}

/** The log of what concerns no team: of the platform. */
export const platformLog = 0;

/** The row of an action; `target` is the id of the record that the action names, never an address. */
export function auditWrite(
  teamId: number,
  by: Actor,
  action: AuditAction,
  target: number | string,
  { before, after }: AuditedChange = {},
): AuditWrite {
  const { id: operationId, startedAt } = by.operation;
  const id = createHash('sha256').update(`${operationId} ${action} ${target}`).digest('hex').slice(0, 32);
  const at = timestamp(startedAt);
  const Item: AuditItem = {
    ...keys.auditRow(teamId, at, id),
    id,
    at,
    actor: { kind: by.kind, key_id: by.keyId, name: withoutAddresses(by.name) },
    action,
    target: { type: action.slice(0, action.indexOf('.')), id: String(target) },
    ...(before && { before: boundedFields(before) }),
    ...(after && { after: boundedFields(after) }),
    ip: by.ip,
    request_id: by.requestId,
    ttl: epochSeconds(startedAt) + auditDays * 86_400,
  };
  return { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
}

/** Writes a row alone, for an action that writes nothing else; once per operation. */
export async function record({ Put: { Item } }: AuditWrite): Promise<void> {
  await table.putNew(Item);
}

/** Whether an operation has written its row, and with it has done its action. */
export const isRecorded = async ({ Put: { Item } }: AuditWrite): Promise<boolean> =>
  (await table.get({ pk: Item.pk, sk: Item.sk })) !== undefined;

/** What the log calls an address: a hash that only this installation can make. */
export async function addressTarget(teamId: number, email: string): Promise<string> {
  const hash = createHmac('sha256', await firstSigningKey()).update(`audit.${teamId}.${email}`);
  return hash.digest('base64url');
}

/** What a listing looks for. */
export interface AuditFilters {
  action?: AuditAction;
  since?: string;
  until?: string;
  /** Of an address: as `addressTarget` has it. */
  target?: string;
}

/** The rows of a team, newest first. */
export function list(teamId: number, { action, target, ...period }: AuditFilters): Search<AuditItem> {
  const source = within(teamId, period);
  if (action === undefined && target === undefined) return source;
  return filtered(
    source,
    (row) => (action === undefined || row.action === action) && (target === undefined || row.target.id === target),
  );
}

/** The rows of a period, month by month, of those that are kept. */
function within(teamId: number, { since = '', until }: Pick<AuditFilters, 'since' | 'until'>): Source<AuditItem> {
  return async function* (direction, from, batch) {
    const kept = timestamp(Date.now() - auditDays * dayMs);
    const low = since > kept ? since : kept;
    const high = until ?? timestamp(Date.now() + dayMs);
    const months = monthsBetween(low, high);
    if (direction === 'forward') months.reverse();
    const begun = from?.slice(0, 7) ?? '';
    for (const month of months) {
      const passed = direction === 'forward' ? month > begun : month < begun;
      if (from !== undefined && passed) continue;
      const range = { pk: partitions.auditLog(teamId, month), descending: true, low, high: `${high}~` };
      yield* partition<AuditItem>(range)(direction, from, batch);
    }
  };
}

/** The months between two times, both included: at most as many as rows are kept for. */
function monthsBetween(low: string, high: string): string[] {
  const last = new Date(Math.min(Date.parse(high), Date.now() + dayMs));
  const months: string[] = [];
  for (let at = Date.parse(`${low.slice(0, 7)}-01T00:00:00Z`); at <= last.getTime(); ) {
    const month = timestamp(at).slice(0, 7);
    months.push(month);
    const next = new Date(at);
    at = next.setUTCMonth(next.getUTCMonth() + 1);
  }
  return months;
}

/** A row as the API shows it: an operator without a name. */
export const view = (row: AuditItem) => ({
  id: row.id,
  at: row.at,
  actor: {
    kind: row.actor.kind,
    key_id: row.actor.key_id ?? null,
    name: row.actor.kind === 'operator' ? 'operator' : row.actor.name,
  },
  action: row.action,
  target: row.target,
  before: row.before ?? null,
  after: row.after ?? null,
  ip: row.ip ?? null,
  request_id: row.request_id ?? null,
});
