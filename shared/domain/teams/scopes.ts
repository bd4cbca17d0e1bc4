import { ApiError } from '../errors.ts';

/** Every scope with the sentence that `GET /api-keys/scopes` shows. */
export const scopeDescriptions = {
  'contacts:read': 'Read contacts, lists, tags, segments and waitlists',
  'contacts:write': 'Create, change and delete contacts, lists, tags, segments and waitlists',
  'campaigns:read': 'Read campaigns, templates and sequences',
  'campaigns:write': 'Create, change and delete campaigns, templates and sequences',
  'campaigns:send': 'Send, schedule, cancel and test campaigns; activate sequences',
  'events:read': 'Read delivery events and reports',
  'events:write': 'Ingest delivery events',
  'suppressions:read': 'Read the suppression list',
  'suppressions:write': 'Add and remove suppressions',
  'transactional:send': 'Send transactional messages',
  'ai:write': 'Use the AI copy tools',
  'webhooks:read': 'Read webhook endpoints and their deliveries',
  'webhooks:write': 'Create, change and delete webhook endpoints',
} as const;

/** A right that an API key can hold. */
export type Scope = keyof typeof scopeDescriptions;

/** Every scope, in the order of the contract. */
export const scopes = Object.keys(scopeDescriptions) as Scope[];

/** Whether `held` grants `needed`: `:write` implies the matching `:read`; null (a legacy key) holds every scope. */
export function holds(held: readonly string[] | null, needed: Scope): boolean {
  if (held === null || held.includes(needed)) return true;
  return needed.endsWith(':read') && held.includes(needed.replace(/:read$/, ':write'));
}

/** Whether `held` grants every scope. */
export const holdsAll = (held: readonly string[] | null): boolean => scopes.every((scope) => holds(held, scope));

/** Throws 403 `missing_scope`, with the reason, unless a key holds `campaigns:send`. */
export function requireSender(held: readonly string[] | null, reason: string): void {
  if (holds(held, 'campaigns:send')) return;
  throw new ApiError(403, 'missing_scope', `The API key lacks the scope campaigns:send: ${reason}.`);
}
