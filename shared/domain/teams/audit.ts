/** The actions of the audit log: the kind of record, and what happened to it. */
export const auditActions = [
  'api_key.created',
  'api_key.revoked',
  'sending_domain.added',
  'sending_domain.changed',
  'sending_domain.checked',
  'sending_domain.removed',
  'webhook.created',
  'webhook.updated',
  'webhook.secret_rotated',
  'webhook.deleted',
  'suppression.removed',
  'contact.erased',
  'campaign.sent',
  'campaign.scheduled',
  'campaign.cancelled',
  'campaign.paused',
  'campaign.resumed',
  'campaign.resent',
  'campaign.released',
  'campaign.refused',
  'campaign.report_shared',
  'campaign.report_revoked',
  'warehouse.set',
  'warehouse.removed',
  'team.created',
  'team.plan_changed',
  'team.suspended',
  'team.unsuspended',
  'platform_suppression.added',
  'platform_suppression.removed',
  'queue.redriven',
  'signing_key.rotated',
] as const;

/** One action of the audit log. */
export type AuditAction = (typeof auditActions)[number];

/** Fields of a record, with values of JSON. */
export type AuditedFields = Record<string, unknown>;

/** What an action changed of its target; nothing secret. */
export interface AuditedChange {
  before?: AuditedFields;
  after?: AuditedFields;
}

/** For how long a row is kept. */
export const auditDays = 400;

const maxBytes = 2_048;
const maxText = 200;
const maxEntries = 20;

/** The fields that differ, on either side; those that a side does not have are null on it. */
export function changedFields(before: AuditedFields, after: AuditedFields): Required<AuditedChange> {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  );
  const of = (fields: AuditedFields) => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return { before: of(before), after: of(after) };
}

/** A text without its words that have an `@`: an erased person must not be in the log for as long as it is kept. */
export const withoutAddresses = (text: string): string =>
  text
    .split(/(\s)/)
    .map((word) => (word.includes('@') ? '…' : word))
    .join('');

/** Fields as the log keeps them: no addresses, long texts and lists cut, and at most 2 KB of JSON. */
export function boundedFields(fields: AuditedFields): AuditedFields {
  const entries = Object.entries(fields).map(([name, value]) => [name, bounded(value)] as const);
  while (Buffer.byteLength(JSON.stringify(Object.fromEntries(entries))) > maxBytes) entries.pop();
  return Object.fromEntries(entries);
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cut(withoutAddresses(value));
  if (Array.isArray(value)) {
    const some = value.slice(0, maxEntries).map(bounded);
    return value.length > maxEntries ? [...some, '…'] : some;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, bounded(part)]));
}

const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text);
