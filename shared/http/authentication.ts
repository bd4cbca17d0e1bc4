import { countRequest, discount, isTeamOver } from '../data/rate.ts';
import * as apiKeys from '../data/teams/api-keys.ts';
import { ApiError } from '../domain/errors.ts';
import { mayCallFrom } from '../domain/teams/allowed-addresses.ts';
import { hashApiKey, isApiKey } from '../domain/teams/api-key.ts';
import { isActive } from '../domain/teams/key-rights.ts';
import { anonymousRequestsPerMinute, plans, teamRequestsFactor } from '../domain/teams/plans.ts';
import type { Caller } from './endpoint.ts';

/** A fixed minute's limit and what is left of it. */
export interface Rate {
  limit: number;
  remaining: number;
  secondsLeft: number;
}

/** Who calls, as far as it is known, and how much of the minute is left. */
export interface Identification {
  caller: Caller | undefined;
  rate: Rate;
}

type Headers = Record<string, string | undefined>;

function presentedKey(headers: Headers): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return headers['x-api-key'];
}

const rateOf = (limit: number, window: { count: number; secondsLeft: number }): Rate & { exceeded: boolean } => ({
  limit,
  remaining: Math.max(0, limit - window.count),
  secondsLeft: window.secondsLeft,
  exceeded: window.count > limit,
});

/** What every response says of the minute. */
export const rateHeaders = ({ limit, remaining }: Rate): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
});

const tooMany = ({ limit, secondsLeft }: Rate, whose = '') =>
  new ApiError(429, 'rate_limited', `Over ${limit} requests${whose} in this minute; try again in ${secondsLeft} s.`, {
    retryAfterSeconds: secondsLeft,
  });

/** Counts a request without a valid key against its source address; `refusal` is the 429 when it is over the limit. */
export async function identifyAnonymous(sourceIp: string): Promise<Identification & { refusal: ApiError | undefined }> {
  const rate = rateOf(anonymousRequestsPerMinute, await countRequest({ address: sourceIp }));
  return { caller: undefined, rate, refusal: rate.exceeded ? tooMany(rate) : undefined };
}

/** Finds the caller of a request and counts it; `refusal` is the 401, 403 or 429 that it earns. */
export async function identify(
  headers: Headers,
  sourceIp: string,
): Promise<Identification & { refusal: ApiError | undefined }> {
  const secret = presentedKey(headers);
  const hash = secret !== undefined && isApiKey(secret) ? hashApiKey(secret) : '';
  const [key, window] = hash
    ? await Promise.all([apiKeys.findByHash(hash), countRequest({ keyHash: hash })])
    : [undefined, undefined];
  if (!key || !window || !isActive(key)) return identifyUnknown(sourceIp, unauthenticated(secret, key));
  if (!mayCallFrom(key, sourceIp)) {
    // Whoever has the key elsewhere does not use up its requests.
    await discount({ keyHash: hash });
    return identifyUnknown(sourceIp, elsewhere(sourceIp));
  }
  if (window.count === 1) await apiKeys.touch(key, sourceIp);
  const { requestsPerMinute: limit } = plans[key.plan];
  const rate = rateOf(limit, window);
  const { team_id: teamId, team_name: teamName, plan, scopes = null } = key;
  const caller: Caller = { teamId, teamName, plan, key, scopes };
  const refusal = planRefusal(caller) ?? (rate.exceeded ? tooMany(rate) : undefined);
  const team = limit * teamRequestsFactor;
  if (refusal || !(await isTeamOver(teamId, hash, window, { key: limit, team }))) return { caller, rate, refusal };
  return { caller, rate: { ...rate, remaining: 0 }, refusal: tooMany({ ...rate, limit: team }, ' of the team') };
}

/** Counts a request that names no key which it may use, and refuses it. */
async function identifyUnknown(sourceIp: string, refusal: ApiError) {
  const anonymous = await identifyAnonymous(sourceIp);
  return { ...anonymous, refusal: anonymous.refusal ?? refusal };
}

const elsewhere = (sourceIp: string) =>
  new ApiError(403, 'address_not_allowed', `The API key must not be used from ${sourceIp}: see its allowed_ips.`);

function planRefusal(caller: Caller): ApiError | undefined {
  if (plans[caller.plan].api) return undefined;
  return new ApiError(403, 'plan_excludes_api', `The ${caller.plan} plan has no API access; the business plan has.`);
}

function unauthenticated(secret: string | undefined, key: apiKeys.ApiKeyItem | undefined): ApiError {
  let message = 'The API key is not valid.';
  if (secret === undefined) message = 'Send an API key as "Authorization: Bearer <key>" or "X-Api-Key: <key>".';
  else if (key?.revoked_at) message = 'The API key is revoked.';
  else if (key) message = 'The API key has expired.';
  return new ApiError(401, 'unauthenticated', message);
}
