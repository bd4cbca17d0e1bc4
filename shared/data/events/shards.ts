import { randomInt } from 'node:crypto';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as teams from '../teams/teams.ts';

/** Partitions of a day's events and of a campaign's index: each takes 1,000 writes a second. */
const shards = 16;
/** Partitions of a day before a team's events were spread; the index of a campaign had one. */
const shardsBefore = 4;
/** Longer than a deployment, in which the version before writes and reads the fewer partitions. */
const deploymentMs = 2 * 86_400_000;

const numbers = Array.from({ length: shards }, (_, shard) => shard);
const dayOf = (at: string): string => at.slice(0, 10);

const spreadSince = new Map<number, string>();

/** Whether a team's events of a time are in 16 partitions: every worker answers the same for a day. */
export async function isSpread(teamId: number, at: string): Promise<boolean> {
  let since = spreadSince.get(teamId);
  if (since === undefined) {
    since = await teams.eventsSpreadSince(teamId, dayOf(timestamp(Date.now() + deploymentMs)));
    if (spreadSince.size > 10_000) spreadSince.clear();
    spreadSince.set(teamId, since);
  }
  return dayOf(at) >= since;
}

/** The shard of an event in its day. */
export const shardOf = (id: number, spread: boolean): number => id % (spread ? shards : shardsBefore);

/** Counters of a campaign's packed deliveries: transactions on one item are in each other's way. */
const counters = 8;

/** The counter to add packed deliveries to. */
export const deliveredCounter = (teamId: number, campaignId: number, spread: boolean): Key =>
  keys.deliveredStats(teamId, campaignId, spread ? randomInt(counters) : undefined);

/** All counters of a campaign's packed deliveries. */
export const deliveredCounters = (teamId: number, campaignId: number): Key[] =>
  [undefined, ...numbers.slice(0, counters)].map((shard) => keys.deliveredStats(teamId, campaignId, shard));

/** The partitions of a day; some are empty where it is spread less. */
export const dayPartitions = (teamId: number, day: string): string[] =>
  numbers.map((shard) => partitions.events(teamId, day, shard));

/** The partitions of a campaign's index, with the one of events that are not spread. */
export const campaignPartitions = (teamId: number, campaignId: number): string[] =>
  [undefined, ...numbers].map((shard) => partitions.eventsOfCampaign(teamId, campaignId, shard));
