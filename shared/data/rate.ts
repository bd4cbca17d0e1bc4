import { epochSeconds } from '../domain/time.ts';
import { keys, type RateSubject } from './keys.ts';
import * as table from './table.ts';

/** The minute in which a request was counted, and its seconds left. */
export interface Window {
  minute: number;
  count: number;
  secondsLeft: number;
  /** The team of the key is over its limit. */
  teamOver: boolean;
}

/** So many requests of a key are added to those of its team at once: one further write in so many requests. */
const teamStep = 10;

const ttlOf = (minute: number) => ({ ':ttl': (minute + 2) * 60 });

/** Counts a request in the current minute (a fixed window). */
export async function countRequest(subject: RateSubject, requests = 1): Promise<Window> {
  const seconds = epochSeconds();
  const minute = Math.floor(seconds / 60);
  const item = await table.update<{ requests: number; team_over?: boolean }>({
    Key: keys.rateWindow(subject, minute),
    UpdateExpression: 'ADD requests :count SET #ttl = :ttl',
    ExpressionAttributeValues: { ':count': requests, ...ttlOf(minute) },
    ReturnValues: 'ALL_NEW',
  });
  const { requests: count, team_over: teamOver = false } = item!;
  return { minute, count, secondsLeft: (minute + 1) * 60 - seconds, teamOver };
}

/** Takes back a request that was counted. */
export const discount = (subject: RateSubject): Promise<Window> => countRequest(subject, -1);

/**
 * Whether the team of a key is over its limit in this minute. Every tenth request of a key, within its own limit,
 * adds ten to those of the team, and the key's window keeps the answer: no key makes ten more once the team is over.
 */
export async function isTeamOver(
  teamId: number,
  keyHash: string,
  window: Window,
  limits: { key: number; team: number },
): Promise<boolean> {
  if (window.teamOver) return true;
  if (window.count % teamStep !== 0 || window.count > limits.key) return false;
  const { count } = await countRequest({ teamId }, teamStep);
  if (count <= limits.team) return false;
  await table.update({
    Key: keys.rateWindow({ keyHash }, window.minute),
    UpdateExpression: 'SET team_over = :over, #ttl = :ttl',
    ExpressionAttributeValues: { ':over': true, ...ttlOf(window.minute) },
  });
  return true;
}
