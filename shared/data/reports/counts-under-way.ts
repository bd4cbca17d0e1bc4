import type { Tallies } from '../../domain/reports/tallies.ts';
import { epochSeconds } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';

/** A count that goes on: its position and what it has counted up to there are one item, and so always agree. */
export interface Count {
  walk: 'clicks' | 'moments';
  /** The last row that is counted. */
  after?: string;
  counted: Tallies;
  begun: string;
}

/** A position is an address, which an erasure does not look for here: a count that nobody ends is removed. */
const keptSeconds = 86_400;

/** The count of a campaign that goes on; undefined when there is none. */
export const find = (teamId: number, campaignId: number): Promise<(Count & Key) | undefined> =>
  table.get<Count & Key>(keys.reportCount(teamId, campaignId));

/** Stores how far a count is. */
export const store = (teamId: number, campaignId: number, count: Count): Promise<void> =>
  table.put({ Item: { ...count, ...keys.reportCount(teamId, campaignId), ttl: epochSeconds() + keptSeconds } });

/** Removes a count that is over. */
export const remove = (teamId: number, campaignId: number): Promise<void> =>
  table.remove({ Key: keys.reportCount(teamId, campaignId) });
