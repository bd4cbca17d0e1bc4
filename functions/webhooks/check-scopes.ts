import { ApiError } from '../../shared/domain/errors.ts';
import { holds, type Scope } from '../../shared/domain/teams/scopes.ts';
import { type Subscription, scopesOf } from '../../shared/domain/webhooks/webhook-event.ts';

type Held = readonly Scope[] | null;

/** The scopes that an API key lacks to read what a subscription is sent. */
export const lacking = (held: Held, events: readonly Subscription[]): Scope[] =>
  scopesOf(events).filter((scope) => !holds(held, scope));

/** Throws 403 unless the API key may read what a subscription is sent. */
export function checkScopes(held: Held, events: readonly Subscription[]): void {
  const missing = lacking(held, events);
  if (missing.length > 0)
    throw new ApiError(403, 'missing_scope', `The API key lacks what reads these events: ${missing.join(', ')}.`);
}
