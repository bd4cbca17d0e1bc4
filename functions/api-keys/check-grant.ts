import { ApiError, NotApplicable, ValidationError } from '../../shared/domain/errors.ts';
import { isWithin } from '../../shared/domain/teams/allowed-addresses.ts';
import { type KeyRights, maxGenerations } from '../../shared/domain/teams/key-rights.ts';
import { scopes as allScopes, holds, type Scope } from '../../shared/domain/teams/scopes.ts';

interface Grant {
  scopes?: Scope[];
  expires_at?: string | null;
  allowed_ips?: string[] | null;
}

/** What a key that is minted may do: as asked, else as its minter. Throws 403 or 422 where that would be more. */
export function checkGrant(minter: KeyRights, asked: Grant, now: Date) {
  if ((minter.lineage?.length ?? 0) >= maxGenerations)
    throw new NotApplicable(`This API key is ${maxGenerations} generations old: let an older one mint the next.`);
  const held = minter.scopes ?? null;
  const scopes = asked.scopes ?? [...(held ?? allScopes)];
  const lacking = scopes.filter((scope) => !holds(held, scope));
  if (lacking.length > 0)
    throw new ApiError(403, 'missing_scope', `The API key lacks what it would give away: ${lacking.join(', ')}.`);
  return { scopes, expires_at: expiry(minter, asked, now), allowed_ips: addresses(minter, asked) };
}

function expiry({ expires_at: limit }: KeyRights, { expires_at }: Grant, now: Date): string | undefined {
  if (!expires_at) return limit;
  const at = Date.parse(expires_at);
  if (at <= now.getTime()) throw new ValidationError({ expires_at: ['must be in the future'] });
  if (limit !== undefined && at > Date.parse(limit))
    throw new ValidationError({ expires_at: [`must not be after ${limit}, when the minting key expires`] });
  return expires_at;
}

function addresses({ allowed_ips: own }: KeyRights, { allowed_ips: asked }: Grant) {
  if (!asked) return own;
  const beyond = asked.flatMap((range, at) => (own && !own.some((outer) => isWithin(outer, range)) ? [at] : []));
  if (beyond.length === 0) return asked;
  const fault = ['must lie within the allowed_ips of the minting key'];
  throw new ValidationError(Object.fromEntries(beyond.map((at) => [`allowed_ips.${at}`, fault])));
}
