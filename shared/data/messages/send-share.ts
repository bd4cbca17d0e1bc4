import { timestamp } from '../../domain/time.ts';
import { type IndexKeys, type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** Until when the pages that a team has queued take at its share of the rate, in milliseconds since the epoch. */
interface ShareItem extends Key, IndexKeys {
  booked_until: number;
}

/** A team's share of the account's rate for campaigns. */
export interface Share {
  /** When its next page may be sent, in milliseconds since the epoch; undefined when it never sent. */
  freeAt: number | undefined;
  /** How many teams have pages queued, itself included: each has the same share. */
  teams: number;
}

/** The most teams that are counted: beyond so many, shares are too large, and the account's rate makes pages wait. */
const maxTeams = 1_000;

/** Reads a team's share; the other teams as they were a moment ago. */
export async function find(teamId: number): Promise<Share> {
  const now = Date.now();
  const queuing = table.within(partitions.sending, { index: 'gsi1', between: [timestamp(now), '~'] });
  const [item, { items }] = await Promise.all([
    table.get<ShareItem>(keys.sendShare(teamId)),
    table.query({ ...queuing, ProjectionExpression: 'pk', Limit: maxTeams }),
  ]);
  const counted = item !== undefined && item.booked_until >= now;
  return { freeAt: item?.booked_until, teams: Math.max(1, items.length + (counted ? 0 : 1)) };
}

/** Takes a team's share until a moment; false when another campaign of the team has taken it since it was read. */
export function take(teamId: number, { freeAt }: Share, until: number): Promise<boolean> {
  return table.writeIf({
    Key: keys.sendShare(teamId),
    UpdateExpression: 'SET booked_until = :until, gsi1pk = :sending, gsi1sk = :place',
    ConditionExpression: freeAt === undefined ? 'attribute_not_exists(pk)' : 'booked_until = :seen',
    ExpressionAttributeValues: {
      ':until': until,
      ':sending': partitions.sending,
      ':place': `${timestamp(until)}#${teamId}`,
      ...(freeAt !== undefined && { ':seen': freeAt }),
    },
  });
}
