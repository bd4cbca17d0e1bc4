import { createHash, randomUUID } from 'node:crypto';
import { timestamp } from '../../domain/time.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** How many workers send for one sequence at once: its subscribers are spread over so many lanes. */
export const shardCount = 4;

/** The lane of an address. */
export const shardOf = (email: string): number => createHash('sha256').update(email).digest()[0]! % shardCount;

/** How long a claimed page is its worker's: longer than a call of the provider and what follows may take. */
export const leaseSeconds = 45;

/** After this long without a word from a lane's message, it is taken for lost. */
const silenceMs = 3 * 60_000;

/** What became of a message: `sent` also when its answer was lost, for then it may have been; `waiting` when it surely was not. */
export type Outcome = { status: 'sent' | 'waiting' } | { status: 'failed'; error: string };

/** Somebody who is being sent a step. */
export interface PageEntry {
  email: string;
  step_id: number;
  /** The subscriber's count of moves, as it was read. */
  moves: number;
  outcome?: Outcome;
}

/** Who is being sent what: written before the provider is called, taken off when everybody has moved on. */
export interface Page {
  claim_id: string;
  claimed_at: string;
  lease_until: string;
  entries: PageEntry[];
}

/** One of a sequence's lanes: at most one page of it is open at a time. */
export interface ShardItem {
  /** The message that goes on with the lane. */
  token?: string;
  /** Until when the message has to be heard of. */
  quiet_until?: string;
  page?: Page;
  /** The token that claimed the last page: a message that comes twice may have read who was due before that page was sent. */
  spent?: string;
}

interface Shard {
  teamId: number;
  sequenceId: number;
  lane: number;
}

const keyOf = ({ teamId, sequenceId, lane }: Shard) => keys.sequenceLane(teamId, sequenceId, lane);
const quietUntil = (delaySeconds = 0): string => timestamp(Date.now() + delaySeconds * 1000 + silenceMs);

/** Reads a lane; empty when nothing is on its way. */
export async function find(lane: Shard): Promise<ShardItem> {
  return (await table.get<ShardItem>(keyOf(lane))) ?? {};
}

/** Whether an update took effect; one whose answer got lost, and which was made again, finds its own mark. */
async function took(lane: Shard, update: table.TransactionWrite['Update'], own: (item: ShardItem) => boolean) {
  const done = await table.updateIf({ ...update!, ReturnValues: 'NONE' });
  return done !== undefined || own(await find(lane));
}

/** Sets a lane going: the token of the message that is to be queued for it; undefined when one is on its way already. */
export async function begin(lane: Shard): Promise<string | undefined> {
  const token = randomUUID();
  const begun = await took(
    lane,
    {
      Key: keyOf(lane),
      UpdateExpression: 'SET #token = :token, quiet_until = :until',
      ConditionExpression: 'attribute_not_exists(quiet_until) OR quiet_until < :now',
      ExpressionAttributeNames: { '#token': 'token' },
      ExpressionAttributeValues: { ':token': token, ':until': quietUntil(), ':now': timestamp() },
    },
    (item) => item.token === token,
  );
  return begun ? token : undefined;
}

/** Makes a page this lane's open one, with what is to be written beside it; a token claims one page. False when it has, when the lane has another token or an open page, or that was refused. */
export async function claim(lane: Shard, token: string, page: Page, beside: table.TransactionWrite): Promise<boolean> {
  const claimed = await table.transactIf([
    {
      Update: {
        Key: keyOf(lane),
        UpdateExpression: 'SET #page = :page, quiet_until = :until, spent = :token',
        ConditionExpression:
          '#token = :token AND attribute_not_exists(#page) AND (attribute_not_exists(spent) OR spent <> :token)',
        ExpressionAttributeNames: { '#page': 'page', '#token': 'token' },
        ExpressionAttributeValues: { ':page': page, ':token': token, ':until': quietUntil() },
      },
    },
    beside,
  ]);
  return claimed || (await find(lane)).page?.claim_id === page.claim_id;
}

/** Notes what became of an open page's messages, with what is to be written beside it; false when the page is closed. */
export function noteOutcomes(lane: Shard, page: Page, beside: table.TransactionWrite[]): Promise<boolean> {
  return table.transactIf([
    {
      Update: {
        Key: keyOf(lane),
        UpdateExpression: 'SET #page = :page',
        ConditionExpression: '#page.claim_id = :claim',
        ExpressionAttributeNames: { '#page': 'page' },
        ExpressionAttributeValues: { ':page': page, ':claim': page.claim_id },
      },
    },
    ...beside,
  ]);
}

/** Closes a page whose subscribers have all moved on; again changes nothing. */
export async function close(lane: Shard, page: Page): Promise<void> {
  await table.updateIf({
    Key: keyOf(lane),
    UpdateExpression: 'REMOVE #page',
    ConditionExpression: '#page.claim_id = :claim',
    ExpressionAttributeNames: { '#page': 'page' },
    ExpressionAttributeValues: { ':claim': page.claim_id },
    ReturnValues: 'NONE',
  });
}

/** Hands a lane on to another message, which is to come in so many seconds: its token; undefined when the lane is no longer this token's. */
export async function pass(lane: Shard, token: string, delaySeconds: number): Promise<string | undefined> {
  const next = randomUUID();
  const passed = await took(
    lane,
    {
      Key: keyOf(lane),
      UpdateExpression: 'SET #token = :next, quiet_until = :until',
      ConditionExpression: '#token = :token',
      ExpressionAttributeNames: { '#token': 'token' },
      ExpressionAttributeValues: { ':token': token, ':next': next, ':until': quietUntil(delaySeconds) },
    },
    (item) => item.token === next,
  );
  return passed ? next : undefined;
}

/** Lets a lane rest: nobody on it is due. */
export async function end(lane: Shard, token: string): Promise<void> {
  await table.updateIf({
    Key: keyOf(lane),
    UpdateExpression: 'REMOVE #token, quiet_until',
    ConditionExpression: '#token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: { ':token': token },
    ReturnValues: 'NONE',
  });
}
