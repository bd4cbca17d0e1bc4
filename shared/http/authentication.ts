import { countRequest } from '../data/rate.ts';
import * as apiKeys from '../data/teams/api-keys.ts';
import { ApiError } from '../domain/errors.ts';
import { hashApiKey, isApiKey } from '../domain/teams/api-key.ts';
import { anonymousRequestsPerMinute, plans } from '../domain/teams/plans.ts';
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

const tooMany = (rate: Rate) =>
  new ApiError(429, 'rate_limited', `Over ${rate.limit} requests in this minute; try again in ${rate.secondsLeft} s.`, {
    retryAfterSeconds: rate.secondsLeft,
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
  const hash = secret !== undefined && isApiKey(secret) ? hashApiKey(secret) : undefined;
  const [key, window] = hash
    ? await Promise.all([apiKeys.findByHash(hash), countRequest({ keyHash: hash })])
    : [undefined, undefined];
  const expired = key?.expires_at !== undefined && Date.parse(key.expires_at) <= Date.now();
  if (!key || !window || key.revoked_at || expired) {
    const anonymous = await identifyAnonymous(sourceIp);
    return { ...anonymous, refusal: anonymous.refusal ?? unauthenticated(secret, key, expired) };
  }
  if (window.count === 1) await apiKeys.touch(key);
  const rate = rateOf(plans[key.plan].requestsPerMinute, window);
  const caller: Caller = {
    teamId: key.team_id,
    teamName: key.team_name,
    plan: key.plan,
    keyId: key.id,
    keyName: key.name,
    scopes: key.scopes ?? null,
  };
  return { caller, rate, refusal: planRefusal(caller) ?? (rate.exceeded ? tooMany(rate) : undefined) };
}

function planRefusal(caller: Caller): ApiError | undefined {
  if (plans[caller.plan].api) return undefined;
  return new ApiError(403, 'plan_excludes_api', `The ${caller.plan} plan has no API access; the business plan has.`);
}

function unauthenticated(secret: string | undefined, key: apiKeys.ApiKeyItem | undefined, expired: boolean): ApiError {
  let message = 'The API key is not valid.';
  if (secret === undefined) message = 'Send an API key as "Authorization: Bearer <key>" or "X-Api-Key: <key>".';
  else if (key?.revoked_at) message = 'The API key is revoked.';
  else if (expired) message = 'The API key has expired.';
  return new ApiError(401, 'unauthenticated', message);
}
