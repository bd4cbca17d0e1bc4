import { keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** Somebody in the queue: the signup, and the slot that it occupies. */
export interface Place {
  slot: number;
  signup_id: number;
}

/** A slot that is occupied, as it lies in the table. */
type PlaceItem = Place & { pk: string; sk: string };

/** Slots whose occupants are counted together. */
const slotsPerBucket = 200;
/** Buckets that are read at once. */
const readsAtOnce = 10;

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
 * How somebody moves up some places, as far as there are any: to the slot of the last one passed, while each of these moves into the slot
 * behind. The slots that are occupied stay the same. Says where everybody comes to stand, and what is to be written of the queue.
 */
export async function moveUp(
  teamId: number,
  waitlistId: number,
  mover: Place,
  places: number,
): Promise<{ moved: { from: number; place: Place }[]; writes: table.TransactionWrite[] }> {
  const { items: passed } = await table.query<PlaceItem>({
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

/** Up to `limit` of those who stand in the queue, from the front, after a slot. */
export async function inLine(teamId: number, waitlistId: number, after: number, limit: number): Promise<Place[]> {
  const { items } = await table.query<PlaceItem>({ ...slots(teamId, waitlistId, after + 1), Limit: limit });
  return items;
}

/** The position of each slot, from 1; it is that of its signup only while nobody moves (waitlist-signups compares the version). */
export async function positions(
  teamId: number,
  waitlistId: number,
  wanted: readonly number[],
): Promise<ReadonlyMap<number, Place & { position: number }>> {
  const found = new Map<number, Place & { position: number }>();
  const [first] = wanted.length > 0 ? await inLine(teamId, waitlistId, 0, 1) : [];
  if (!first) return found;
  const touched = [...new Set(wanted.map(bucketOf))].sort((a, b) => a - b);
  const before = await occupiedBefore(teamId, waitlistId, bucketOf(first.slot), touched);
  for (let start = 0; start < touched.length; start += readsAtOnce)
    await Promise.all(
      touched.slice(start, start + readsAtOnce).map(async (bucket) => {
        let position = before.get(bucket)!;
        const range = slots(teamId, waitlistId, bucket * slotsPerBucket, (bucket + 1) * slotsPerBucket - 1);
        for await (const { slot, signup_id } of table.queryAll<PlaceItem>(range))
          found.set(slot, { slot, signup_id, position: ++position });
      }),
    );
  return found;
}

/** How many stand in the buckets before each of the wanted ones (ascending), of which none before `first` is occupied. */
async function occupiedBefore(
  teamId: number,
  waitlistId: number,
  first: number,
  wanted: readonly number[],
): Promise<Map<number, number>> {
  const sums = new Map<number, number>();
  let sum = 0;
  const last = wanted.at(-1)!;
  const buckets = table.queryAll<{ sk: string; occupied: number }>({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': partitions.waitlist(teamId, waitlistId),
      ':first': keys.waitlistBucket(teamId, waitlistId, first).sk,
      ':last': keys.waitlistBucket(teamId, waitlistId, Math.max(first, last)).sk,
    },
    ConsistentRead: true,
  });
  const waiting = wanted.map((bucket) => ({ bucket, sk: keys.waitlistBucket(teamId, waitlistId, bucket).sk }));
  for await (const { sk, occupied } of buckets) {
    while (waiting[0] && waiting[0].sk <= sk) sums.set(waiting.shift()!.bucket, sum);
    sum += occupied;
  }
  for (const { bucket } of waiting) sums.set(bucket, sum);
  return sums;
}

const slots = (teamId: number, waitlistId: number, from: number, to = 999_999_999_999) => ({
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: {
    ':pk': partitions.waitlist(teamId, waitlistId),
    ':from': keys.waitlistPlace(teamId, waitlistId, from).sk,
    ':to': keys.waitlistPlace(teamId, waitlistId, to).sk,
  },
  ConsistentRead: true,
});
