import { keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** A signup in the queue, and the slot that it occupies. */
export interface Place {
  slot: number;
  signup_id: number;
}

/** Slots that share one stored count of occupied slots. */
const slotsPerBucket = 200;
/** Buckets that are read concurrently. */
const concurrency = 10;

const bucketOf = (slot: number): number => Math.floor(slot / slotsPerBucket);

/** Writes that put a signup into a free slot. */
export function enter(teamId: number, waitlistId: number, place: Place): table.TransactionWrite[] {
  return [
    {
      Put: {
        Item: { ...keys.waitlistPlace(teamId, waitlistId, place.slot), ...place },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    count(teamId, waitlistId, bucketOf(place.slot), 1),
  ];
}

/** Writes that take signups out of the queue. */
export function leave(teamId: number, waitlistId: number, places: readonly Place[]): table.TransactionWrite[] {
  const buckets = Map.groupBy(places, ({ slot }) => bucketOf(slot));
  return [
    ...places.map(({ slot, signup_id }) => ({
      Delete: {
        Key: keys.waitlistPlace(teamId, waitlistId, slot),
        ConditionExpression: 'signup_id = :id',
        ExpressionAttributeValues: { ':id': signup_id },
      },
    })),
    ...[...buckets].map(([bucket, group]) => count(teamId, waitlistId, bucket, -group.length)),
  ];
}

const count = (teamId: number, waitlistId: number, bucket: number, by: number): table.TransactionWrite => ({
  Update: {
    Key: keys.waitlistBucket(teamId, waitlistId, bucket),
    UpdateExpression: 'ADD occupied :by',
    ExpressionAttributeValues: { ':by': by },
  },
});

/**
 * Moves a signup up by a number of places, or to the front: it takes the slot of the last signup that it passes, and
 * each of those takes the next occupied slot behind. Returns the new place of each and the writes to the queue.
 */
export async function moveUp(
  teamId: number,
  waitlistId: number,
  mover: Place,
  places: number,
): Promise<{ moved: { from: number; place: Place }[]; writes: table.TransactionWrite[] }> {
  const { items: passed } = await table.query<Place>({
    ...slots(teamId, waitlistId, 0, mover.slot - 1),
    ScanIndexForward: false,
    Limit: places,
  });
  const front = passed.at(-1);
  if (!front) return { moved: [], writes: [] };
  const behind = [mover, ...passed];
  const moved = [
    { from: mover.slot, place: { slot: front.slot, signup_id: mover.signup_id } },
    ...passed.map(({ slot, signup_id }, index) => ({ from: slot, place: { slot: behind[index]!.slot, signup_id } })),
  ];
  const occupants = new Map(behind.map(({ slot, signup_id }) => [slot, signup_id]));
  const writes = moved.map(({ place: { slot, signup_id } }) => ({
    Update: {
      Key: keys.waitlistPlace(teamId, waitlistId, slot),
      UpdateExpression: 'SET signup_id = :id',
      ConditionExpression: 'signup_id = :before',
      ExpressionAttributeValues: { ':id': signup_id, ':before': occupants.get(slot) },
    },
  }));
  return { moved, writes };
}

/** Up to `limit` places of the queue after a slot, from the front. */
export async function occupied(teamId: number, waitlistId: number, after: number, limit: number): Promise<Place[]> {
  const { items } = await table.query<Place>({ ...slots(teamId, waitlistId, after + 1), Limit: limit });
  return items;
}

/** The position of each wanted slot, from 1; not as of one moment, which signups.place makes up for. */
export async function positions(
  teamId: number,
  waitlistId: number,
  wanted: readonly number[],
): Promise<ReadonlyMap<number, Place & { position: number }>> {
  const found = new Map<number, Place & { position: number }>();
  const [first] = wanted.length > 0 ? await occupied(teamId, waitlistId, 0, 1) : [];
  if (!first) return found;
  const touched = [...new Set(wanted.map(bucketOf))].sort((a, b) => a - b);
  const before = await occupiedBefore(teamId, waitlistId, bucketOf(first.slot), touched);
  for (let start = 0; start < touched.length; start += concurrency)
    await Promise.all(
      touched.slice(start, start + concurrency).map(async (bucket) => {
        let position = before.get(bucket)!;
        const range = slots(teamId, waitlistId, bucket * slotsPerBucket, (bucket + 1) * slotsPerBucket - 1);
        for await (const { slot, signup_id } of table.queryAll<Place>(range))
          found.set(slot, { slot, signup_id, position: ++position });
      }),
    );
  return found;
}

/** The number of occupied slots before each wanted bucket (ascending); no bucket before `first` has any. */
async function occupiedBefore(
  teamId: number,
  waitlistId: number,
  first: number,
  wanted: readonly number[],
): Promise<Map<number, number>> {
  const sums = new Map<number, number>();
  let sum = 0;
  const last = wanted.at(-1)!;
  const skOf = (bucket: number) => keys.waitlistBucket(teamId, waitlistId, bucket).sk;
  const buckets = table.queryAll<{ sk: string; occupied: number }>({
    ...table.within(partitions.waitlist(teamId, waitlistId), { between: [skOf(first), skOf(Math.max(first, last))] }),
    ConsistentRead: true,
  });
  const left = wanted.map((bucket) => ({ bucket, sk: skOf(bucket) }));
  for await (const { sk, occupied } of buckets) {
    while (left[0] && left[0].sk <= sk) sums.set(left.shift()!.bucket, sum);
    sum += occupied;
  }
  for (const { bucket } of left) sums.set(bucket, sum);
  return sums;
}

const slots = (teamId: number, waitlistId: number, from: number, to = 999_999_999_999) => ({
  ...table.within(partitions.waitlist(teamId, waitlistId), {
    between: [keys.waitlistPlace(teamId, waitlistId, from).sk, keys.waitlistPlace(teamId, waitlistId, to).sk],
  }),
  ConsistentRead: true,
});
