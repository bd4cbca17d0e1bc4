import { createHash, randomUUID } from 'node:crypto';
import { timestamp } from '../../domain/time.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** The number of shards that the subscribers of a sequence are spread over: one worker at a time sends for each. */
export const shardCount = 32;
/** The shards of the version before, which spread the subscribers by address. */
export const firstShards = 4;
/** So many subscribers that are enrolled together share a shard, so that few people make few pages. */
const together = 16;

let next = Math.floor(Math.random() * shardCount);

/** The shards of subscribers that are enrolled together. */
export function spread(count: number): number[] {
  const first = next;
  next += Math.ceil(count / together);
  return Array.from({ length: count }, (_, index) => (first + Math.floor(index / together)) % shardCount);
}

/** The shard of a subscriber; it never changes. */
export const shardOf = ({ sk, shard }: { sk: string; shard?: number }): number =>
  shard ?? createHash('sha256').update(sk).digest()[0]! % firstShards;

/** The lease of a claimed page: longer than a call of the provider and the writes after it may take. */
export const leaseSeconds = 45;

/** A shard whose message has not been seen for this long has lost it. */
const silenceMs = 3 * 60_000;

/** The outcome of a message; `waiting` when it surely was not sent. */
export type Outcome = { status: 'sent' | 'waiting' } | { status: 'failed'; error: string };

/** One subscriber on a page, and the step that it is sent. */
export interface PageEntry {
  email: string;
  step_id: number;
  /** The subscriber's count of moves, as it was read. */
  moves: number;
  /** Absent while the provider may have accepted the message, and nobody knows. */
  outcome?: Outcome;
}

/** A page of messages: written before the provider is called, removed when all its subscribers have moved on. */
export interface Page {
  claim_id: string;
  claimed_at: string;
  lease_until: string;
  entries: PageEntry[];
}

/** A shard of a sequence: it has at most one open page. */
export interface ShardItem {
  /** The token of the message that continues the shard. */
  token?: string;
  /** When the message counts as lost. */
  quiet_until?: string;
  page?: Page;
  /** How many messages of its pages nobody knows the outcome of. */
  unknown?: number;
  /** The token that claimed the last page: a repeated message may have read the due subscribers before that. */
  spent?: string;
}

/** Names a shard of a sequence. */
export interface Shard {
  teamId: number;
  sequenceId: number;
  shard: number;
}

const keyOf = ({ teamId, sequenceId, shard }: Shard) => keys.sequenceLane(teamId, sequenceId, shard);
const quietUntil = (delaySeconds = 0): string => timestamp(Date.now() + delaySeconds * 1000 + silenceMs);

/** Reads a shard; empty when it has no message and no page. */
export async function find(shard: Shard): Promise<ShardItem> {
  return (await table.get<ShardItem>(keyOf(shard))) ?? {};
}

/** What a message may do on a shard: go on with it by its token, or begin it when it has no other message. */
export interface Turn {
  token: string;
  begins?: boolean;
}

/** The turn of a message that has read its subscribers, with who had claimed the last page before that. */
export interface ClaimTurn extends Turn {
  spentBefore: string | undefined;
}

/** Whether a message has its turn on a shard, as it was read. */
export const hasTurn = ({ token, quiet_until }: ShardItem, turn: Turn): boolean =>
  token === turn.token || (turn.begins === true && !(quiet_until && quiet_until >= timestamp()));

/** The condition of a message's turn, and its values. */
function ifTurn({ token, begins }: Turn) {
  const idle = ' OR attribute_not_exists(quiet_until) OR quiet_until < :now';
  const values = { ':token': token, ...(begins && { ':now': timestamp() }) };
  return { condition: `(#token = :token${begins ? idle : ''})`, values };
}

/**
 * Opens a page, in one transaction with the write `beside`. False when another message has the turn or a page is open,
 * when a page was claimed since the subscribers were read or by this token, or when `beside` was refused.
 */
export async function claim(
  shard: Shard,
  { spentBefore, ...turn }: ClaimTurn,
  page: Page,
  beside: table.TransactionWrite,
): Promise<boolean> {
  if (spentBefore === turn.token) return false;
  const { condition, values } = ifTurn(turn);
  // Two messages may begin an idle shard: the later one has read the subscribers before the other moved them on.
  const unclaimed = spentBefore === undefined ? 'attribute_not_exists(spent)' : 'spent = :spent';
  const claimed = await table.transactIf([
    {
      Update: {
        Key: keyOf(shard),
        UpdateExpression: 'SET #token = :token, #page = :page, quiet_until = :until, spent = :token',
        ConditionExpression: `${condition} AND attribute_not_exists(#page) AND ${unclaimed}`,
        ExpressionAttributeValues: {
          ...values,
          ':page': page,
          ':until': quietUntil(),
          ...(spentBefore !== undefined && { ':spent': spentBefore }),
        },
      },
    },
    beside,
  ]);
  return claimed || (await find(shard)).page?.claim_id === page.claim_id;
}

/** Stores the outcomes of an open page, in one transaction with the writes `beside`; false when the page is closed. */
export function noteOutcomes(shard: Shard, page: Page, beside: table.TransactionWrite[]): Promise<boolean> {
  return table.transactIf([
    {
      Update: {
        Key: keyOf(shard),
        UpdateExpression: 'SET #page = :page',
        ConditionExpression: '#page.claim_id = :claim',
        ExpressionAttributeValues: { ':page': page, ':claim': page.claim_id },
      },
    },
    ...beside,
  ]);
}

/** Closes a page whose subscribers have all moved on, and counts its messages of unknown outcome, once. */
export async function close(shard: Shard, page: Page): Promise<void> {
  const unknown = page.entries.filter(({ outcome }) => !outcome).length;
  await table.writeIf({
    Key: keyOf(shard),
    UpdateExpression: unknown > 0 ? 'REMOVE #page ADD #unknown :unknown' : 'REMOVE #page',
    ConditionExpression: '#page.claim_id = :claim',
    ExpressionAttributeValues: { ':claim': page.claim_id, ...(unknown > 0 && { ':unknown': unknown }) },
  });
}

/**
 * Replaces a shard's token by that of its next message, due in `delaySeconds`; undefined when another message has the
 * turn. A write that the client repeated because the answer was lost finds its own token.
 */
export async function pass(shard: Shard, turn: Turn, delaySeconds: number): Promise<string | undefined> {
  const token = randomUUID();
  const { condition, values } = ifTurn(turn);
  const written = await table.writeIf({
    Key: keyOf(shard),
    UpdateExpression: 'SET #token = :new, quiet_until = :until',
    ConditionExpression: condition,
    ExpressionAttributeValues: { ...values, ':new': token, ':until': quietUntil(delaySeconds) },
  });
  return written || (await find(shard)).token === token ? token : undefined;
}

/** Stops a shard on which no subscriber is due. */
export async function end(shard: Shard, token: string): Promise<void> {
  await table.writeIf({
    Key: keyOf(shard),
    UpdateExpression: 'REMOVE #token, quiet_until',
    ConditionExpression: '#token = :token',
    ExpressionAttributeValues: { ':token': token },
  });
}
