import { epochSeconds } from '../domain/time.ts';
import { keys, type RateSubject } from './keys.ts';
import * as table from './table.ts';

/** Counts a request in the current minute (a fixed window); returns the count and the seconds until the next minute. */
export async function countRequest(subject: RateSubject): Promise<{ count: number; secondsLeft: number }> {
  const seconds = epochSeconds();
  const minute = Math.floor(seconds / 60);
  const item = await table.update<{ requests: number }>({
    Key: keys.rateWindow(subject, minute),
    UpdateExpression: 'ADD requests :one SET #ttl = :ttl',
    ExpressionAttributeValues: { ':one': 1, ':ttl': (minute + 2) * 60 },
    ReturnValues: 'UPDATED_NEW',
  });
  return { count: item!.requests, secondsLeft: (minute + 1) * 60 - seconds };
}
