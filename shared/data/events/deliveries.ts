import { concurrently } from '../../domain/concurrently.ts';
import { retentionDays } from '../../domain/events/delivery-event.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import { type Delivery, deliveredEvents, maxDeliveriesPerRow, rowSpanMs } from './rows.ts';
import { deliveredCounter, isSpread } from './shards.ts';

/** Places of one record: it stays below a kilobyte, which is one write unit. */
const placesPerRecord = 100;
/** Records of one transaction, which holds 100 writes at most, and rows: deliveries may be minutes apart. */
const [recordsAtOnce, rowsAtOnce] = [48, 48];
const maxConflicts = 20;
/** Records that are marked as published at once. */
const concurrency = 16;

/** The deliveries of 100 places. */
interface DeliveryRecord extends Key {
  /** Milliseconds since 1970, from which `times` count. */
  base: number;
  /** By place: milliseconds after `base` in base 36, empty where nothing is delivered. */
  times: string;
  version: number;
  /** Places whose deliveries are still to be published to webhooks. */
  untold?: Set<number>;
  ttl: number;
}

const numberOf = (place: number) => Math.floor(place / placesPerRecord);

/** Reads the records of places, by their numbers. */
async function recordsOf(
  teamId: number,
  campaignId: number,
  places: readonly number[],
): Promise<Map<number, DeliveryRecord>> {
  const numbers = [...new Set(places.map(numberOf))];
  const found = await table.batchGet<DeliveryRecord>(numbers.map((one) => keys.deliveries(teamId, campaignId, one)));
  return new Map(numbers.flatMap((number, index) => (found[index] ? [[number, found[index]] as const] : [])));
}

function timeIn(record: DeliveryRecord | undefined, place: number): string | undefined {
  const offset = record?.times.split(',')[place % placesPerRecord];
  return offset ? timestamp(record!.base + Number.parseInt(offset, 36)) : undefined;
}

/** When the messages to these places were delivered, for those that were. */
export async function timesOf(
  teamId: number,
  campaignId: number,
  places: readonly number[],
): Promise<Map<number, string>> {
  const records = await recordsOf(teamId, campaignId, places);
  return new Map(
    places.flatMap((place) => {
      const at = timeIn(records.get(numberOf(place)), place);
      return at === undefined ? [] : [[place, at] as const];
    }),
  );
}

/**
 * Stores deliveries once per place, with the row of each minute and the campaign's counter in one transaction. Returns
 * those that are still to be published to webhooks: all new ones if `publish`, and those of an earlier attempt that was
 * cut off.
 */
export async function store(
  teamId: number,
  campaignId: number,
  arrived: readonly Delivery[],
  publish: boolean,
): Promise<Delivery[]> {
  const byRecord = [...Map.groupBy(arrived, ({ place }) => numberOf(place)).values()];
  for (let start = 0; start < byRecord.length; start += recordsAtOnce) {
    const some = byRecord.slice(start, start + recordsAtOnce).flat();
    for (let conflicts = 0; ; ) {
      const outcome = await storeSome(teamId, campaignId, some, publish);
      if (outcome === 'done') break;
      if (outcome === 'more') continue;
      if (++conflicts > maxConflicts) throw new Error('deliveries are stored by too many workers at once');
      await table.pause(conflicts);
    }
  }
  if (!publish) return [];
  const records = await recordsOf(
    teamId,
    campaignId,
    arrived.map(({ place }) => place),
  );
  const unpublished = arrived.filter(({ place }) => records.get(numberOf(place))?.untold?.has(place));
  return [...new Set(unpublished.map(({ place }) => place))].map((place) => ({
    place,
    at: timeIn(records.get(numberOf(place)), place)!,
  }));
}

/** Stores what one transaction holds; `conflict` when another worker changed a record meanwhile. */
async function storeSome(
  teamId: number,
  campaignId: number,
  arrived: readonly Delivery[],
  publish: boolean,
): Promise<'done' | 'more' | 'conflict'> {
  const records = await recordsOf(
    teamId,
    campaignId,
    arrived.map(({ place }) => place),
  );
  const fresh = new Map<number, Delivery>();
  for (const delivery of arrived)
    if (!fresh.has(delivery.place) && timeIn(records.get(numberOf(delivery.place)), delivery.place) === undefined)
      fresh.set(delivery.place, delivery);
  if (fresh.size === 0) return 'done';
  const runs = runsOf([...fresh.values()]).slice(0, rowsAtOnce);
  const stored = runs.flat();
  const byRecord = Map.groupBy(stored, ({ place }) => numberOf(place));
  const spread = await isSpread(teamId, stored[0]!.at);
  const written = await table.transactIf([
    ...[...byRecord].map(([number, own]) => recordWrite(teamId, campaignId, number, records.get(number), own, publish)),
    ...runs.map((run) => ({ Put: { Item: deliveredEvents(teamId, campaignId, run) } })),
    {
      Update: {
        Key: deliveredCounter(teamId, campaignId, spread),
        UpdateExpression: 'ADD delivered :count',
        ExpressionAttributeValues: { ':count': stored.length },
      },
    },
  ]);
  return !written ? 'conflict' : stored.length < fresh.size ? 'more' : 'done';
}

function recordWrite(
  teamId: number,
  campaignId: number,
  number: number,
  before: DeliveryRecord | undefined,
  own: readonly Delivery[],
  publish: boolean,
): table.TransactionWrite {
  const base = before?.base ?? Date.parse(own[0]!.at);
  const times = before?.times.split(',') ?? Array<string>(placesPerRecord).fill('');
  for (const { place, at } of own) times[place % placesPerRecord] = (Date.parse(at) - base).toString(36);
  const untold = new Set([...(before?.untold ?? []), ...(publish ? own.map(({ place }) => place) : [])]);
  const Item: DeliveryRecord = {
    ...keys.deliveries(teamId, campaignId, number),
    base,
    times: times.join(','),
    version: (before?.version ?? 0) + 1,
    ...(untold.size > 0 && { untold }),
    ttl: epochSeconds(new Date()) + retentionDays * 86_400,
  };
  return {
    Put: {
      Item,
      ConditionExpression: before ? 'version = :version' : 'attribute_not_exists(pk)',
      ...(before && { ExpressionAttributeValues: { ':version': before.version } }),
    },
  };
}

/** Deliveries in the order of their times, those of a minute together. */
function runsOf(deliveries: readonly Delivery[]): Delivery[][] {
  const runs: Delivery[][] = [];
  for (const delivery of deliveries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.place - b.place))) {
    const run = runs.at(-1);
    const fits =
      run && run.length < maxDeliveriesPerRow && Date.parse(delivery.at) - Date.parse(run[0]!.at) <= rowSpanMs;
    if (fits) run.push(delivery);
    else runs.push([delivery]);
  }
  return runs;
}

/** Records that deliveries are published to webhooks. */
export async function markPublished(teamId: number, campaignId: number, places: readonly number[]): Promise<void> {
  await concurrently([...Map.groupBy(places, numberOf)], concurrency, ([number, own]) =>
    table.writeIf({
      Key: keys.deliveries(teamId, campaignId, number),
      UpdateExpression: 'DELETE untold :places ADD version :one',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':places': new Set(own), ':one': 1 },
    }),
  );
}
