import { epochSeconds, timestamp } from '../../domain/time.ts';
import { keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** Accepted messages, and their bounces and complaints. */
type Outcome = Record<'sent' | 'bounced' | 'complained', number>;

/** An hour is counted in this many items, so that the messages of a team do not all write the same one. */
const shards = 8;
/** The last seven days are read. */
const keptSeconds = 9 * 86_400;

const hourOf = (at: string): string => at.slice(0, 'yyyy-mm-ddThh'.length);

/** The write that counts messages which no campaign sent (transactional ones, tests, steps) in the hour of a time. */
export function counting(teamId: number, counted: Partial<Outcome>, at = timestamp()) {
  const names = Object.keys(counted) as (keyof Outcome)[];
  return {
    Update: {
      Key: keys.directOutcome(teamId, hourOf(at), Math.floor(Math.random() * shards)),
      UpdateExpression: `SET #ttl = :ttl ADD ${names.map((name) => `${name} :${name}`).join(', ')}`,
      ExpressionAttributeValues: {
        ':ttl': epochSeconds() + keptSeconds,
        ...Object.fromEntries(names.map((name) => [`:${name}`, counted[name]])),
      },
    },
  };
}

/** Counts messages that are about to be sent, or takes back (a negative count) what was not accepted. */
export async function countSent(teamId: number, sent: number): Promise<void> {
  if (sent !== 0) await table.update(counting(teamId, { sent }).Update);
}

/** What became of a team's messages in the whole hours since a time: at most a week is kept. */
export async function since(teamId: number, low: string): Promise<Outcome> {
  const range = table.within(partitions.directOutcomes(teamId), { between: [`${hourOf(low)}~`, '~'] });
  const hours = await table.all<Partial<Outcome>>({ ...range, ConsistentRead: true });
  const sum = (name: keyof Outcome) => hours.reduce((total, hour) => total + (hour[name] ?? 0), 0);
  return { sent: sum('sent'), bounced: sum('bounced'), complained: sum('complained') };
}
