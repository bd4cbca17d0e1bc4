import { holdsAll, type Scope } from './scopes.ts';

/** Active keys of a team; operators may make more. */
export const maxActiveKeys = 100;
/** Keys in a row of which each minted the next. */
export const maxGenerations = 50;
/** A team is told of a key's expiry so long before it. */
export const expiryNoticeMs = 7 * 86_400_000;

/** A key that calls, or that is looked at. */
export interface KeyRights {
  id: number;
  /** Absent for a legacy key, which holds every scope. */
  scopes?: readonly Scope[];
  /** The keys that it descends from, the first one first. */
  lineage?: readonly number[];
  /** The ranges of addresses (CIDR) that it may be used from; absent: anywhere. */
  allowed_ips?: readonly string[];
  expires_at?: string;
  revoked_at?: string;
}

/** Whether a key may revoke another: itself, what it minted and what these did; all others if it holds every scope. */
export const mayRevoke = (caller: KeyRights, key: KeyRights): boolean =>
  key.id === caller.id || descends(key, caller.id) || holdsAll(caller.scopes ?? null);

/** Whether a key was minted by another one, or by one that descends from it. */
export const descends = ({ lineage }: KeyRights, id: number): boolean => lineage?.includes(id) ?? false;

/** Whether a key's time is over. */
export const isExpired = ({ expires_at }: KeyRights): boolean =>
  expires_at !== undefined && Date.parse(expires_at) <= Date.now();

/** Whether a key is neither revoked nor expired. */
export const isActive = (key: KeyRights): boolean => key.revoked_at === undefined && !isExpired(key);
