import type { SequenceEvent } from '../../domain/domain-event.ts';
import type { ExitReason, Progress, Step, SubscriberStatus } from '../../domain/sequences/sequence.ts';
import { nextStep } from '../../domain/sequences/sequence.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { type Key, keys, padId, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import { shardOf } from './shards.ts';

/** A contact in a sequence, keyed by its address; in gsi1 with the contact's other sequences, in gsi2 with those who wait on its lane, by time. */
export interface SubscriberItem extends Progress {
  pk: string;
  sk: string;
  gsi1pk?: string;
  gsi1sk?: string;
  gsi2pk?: string;
  gsi2sk?: string;
  /** Absent once the person was erased. */
  contact_id?: number;
  email?: string;
  status: SubscriberStatus;
  /** Why it did not come to the end: an exit's reason, or what the provider said of its message. */
  exit_reason?: string;
  /** Position of the step that it waits for, or waited for when it ended. */
  current_step: number;
  next_run_at?: string;
  enrolled_at: string;
  completed_at?: string;
  /** The operation that enrolled it. */
  enrolled_by: string;
  /** Grows with every change: who changes one says which count was read. */
  moves: number;
}

/** A contact to enrol. */
export interface Enrollee {
  id: number;
  email: string;
}

/** Rows that one transaction enrols: beside the count, the notices and, at most, 98 rows. */
const enrolledAtOnce = 90;
const completedAtOnce = 90;
const rowsAtOnce = 100;

/** The keys of a row: active ones wait in gsi2. */
function toItem(
  teamId: number,
  sequenceId: number,
  subscriber: Omit<SubscriberItem, keyof Key>,
  email: string,
): SubscriberItem {
  const { contact_id, status, next_run_at } = subscriber;
  const waits = status === 'active' && next_run_at !== undefined;
  return {
    ...subscriber,
    ...keys.sequenceSubscriber(teamId, sequenceId, email),
    gsi1pk: contact_id === undefined ? undefined : partitions.sequencesOfContact(teamId, contact_id),
    gsi1sk: contact_id === undefined ? undefined : padId(sequenceId),
    gsi2pk: waits ? partitions.sequenceDue(teamId, sequenceId, shardOf(email)) : undefined,
    gsi2sk: waits ? `${next_run_at}#${email}` : undefined,
  };
}

/** Reads one subscriber by its address; undefined when it was never enrolled. */
export function find(teamId: number, sequenceId: number, email: string): Promise<SubscriberItem | undefined> {
  return table.get<SubscriberItem>(keys.sequenceSubscriber(teamId, sequenceId, email));
}

/** Reads many subscribers, in the order of the addresses; undefined for one that is none. */
export function batch(
  teamId: number,
  sequenceId: number,
  emails: readonly string[],
): Promise<(SubscriberItem | undefined)[]> {
  return table.batchGet<SubscriberItem>(emails.map((email) => keys.sequenceSubscriber(teamId, sequenceId, email)));
}

/** The subscribers of a sequence by email; the erased ones first. */
export function list(teamId: number, sequenceId: number): Source<SubscriberItem> {
  return partition<SubscriberItem>({ pk: partitions.sequenceSubscribers(teamId, sequenceId) });
}

/**
 * Enrols contacts, each once and for ever, with the sequence's count and the notices in the same transaction. Says how many were enrolled, by
 * this operation when it runs again, too; undefined when the sequence is not active.
 */
export async function enrol(
  teamId: number,
  sequenceId: number,
  contacts: readonly Enrollee[],
  { steps, by }: { steps: readonly Step[]; by: string },
): Promise<{ enrolled: string[]; outbox: due.DueJob[] } | undefined> {
  const rows = await batch(
    teamId,
    sequenceId,
    contacts.map(({ email }) => email),
  );
  const enrolled = rows.flatMap((row) => (row?.enrolled_by === by ? (row.email ?? []) : []));
  const outbox: due.DueJob[] = [];
  let left = contacts.filter((_contact, index) => !rows[index]);
  while (left.length > 0) {
    const group = left.slice(0, enrolledAtOnce);
    const notice = due.outboxEvent(
      teamId,
      group.map((contact) => sequenceEvent('sequence.enrolled', sequenceId, contact)),
    );
    const refused = await table.refusals([
      countMore(teamId, sequenceId, group.length),
      { Put: { Item: notice } },
      ...group.map((contact) => ({
        Put: {
          Item: newSubscriber(teamId, sequenceId, contact, steps, by),
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      })),
    ]);
    if (refused.includes(0)) return undefined;
    if (refused.length === 0) {
      outbox.push(notice);
      enrolled.push(...group.map(({ email }) => email));
      left = left.slice(group.length);
    } else {
      const others = await batch(
        teamId,
        sequenceId,
        refused.map((index) => group[index - 2]!.email),
      );
      enrolled.push(...others.flatMap((row) => (row?.enrolled_by === by ? (row.email ?? []) : [])));
      const known = new Set(refused.map((index) => group[index - 2]!));
      left = left.filter((contact) => !known.has(contact));
    }
  }
  return { enrolled: [...new Set(enrolled)], outbox };
}

const countMore = (teamId: number, sequenceId: number, count: number): table.TransactionWrite => ({
  Update: {
    Key: keys.sequence(teamId, sequenceId),
    UpdateExpression: 'ADD subscribers_count :count',
    ConditionExpression: '#status = :active',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':count': count, ':active': 'active' },
  },
});

const sequenceEvent = (type: SequenceEvent['type'], sequence_id: number, { id, email }: Enrollee): SequenceEvent => ({
  id: `${type}-${sequence_id}-${id}`,
  type,
  sequence_id,
  contact_id: id,
  email,
});

function newSubscriber(
  teamId: number,
  sequenceId: number,
  { id, email }: Enrollee,
  steps: readonly Step[],
  by: string,
): SubscriberItem {
  const at = timestamp();
  const progress: Progress = { had: [], missed: [], last_at: at, counted_from: at };
  const next = nextStep(steps, progress);
  const subscriber = {
    ...progress,
    contact_id: id,
    email,
    status: 'active' as const,
    current_step: next?.position ?? 0,
    next_run_at: timestamp(next?.dueAt ?? Date.now()),
    enrolled_at: at,
    enrolled_by: by,
    moves: 0,
  };
  return toItem(teamId, sequenceId, subscriber, email);
}

/** Those of a lane who are due, the longest due first, after a place where an earlier reading ended. They come from an index: some may have moved on. */
export async function dueNow(
  teamId: number,
  sequenceId: number,
  lane: number,
  { after = ' ', limit }: { after?: string; limit: number },
): Promise<{ email: string; place: string }[]> {
  const { items } = await table.query<Key & { gsi2sk: string }>({
    IndexName: 'gsi2',
    KeyConditionExpression: 'gsi2pk = :pk AND gsi2sk BETWEEN :after AND :now',
    ExpressionAttributeValues: {
      ':pk': partitions.sequenceDue(teamId, sequenceId, lane),
      // Behind it, and before every other place: no address has a character that sorts before this one.
      ':after': `${after}!`,
      ':now': `${timestamp()}~`,
    },
    Limit: limit,
  });
  return items.map(({ sk, gsi2sk }) => ({ email: sk, place: gsi2sk }));
}

/** When the next step of a shard is due; undefined when nobody waits there. */
export async function nextDueAt(teamId: number, sequenceId: number, shard: number): Promise<string | undefined> {
  const { items } = await table.query<{ gsi2sk: string }>({
    IndexName: 'gsi2',
    KeyConditionExpression: 'gsi2pk = :pk',
    ExpressionAttributeValues: { ':pk': partitions.sequenceDue(teamId, sequenceId, shard) },
    Limit: 1,
  });
  return items[0]?.gsi2sk.split('#', 1)[0];
}

/** What a subscriber becomes by a move. */
export type Move = Partial<Omit<SubscriberItem, 'pk' | 'sk' | 'moves'>>;

/** The write that moves an active subscriber, as it was read. */
function moved(teamId: number, sequenceId: number, before: SubscriberItem, move: Move): table.TransactionWrite {
  const after = toItem(teamId, sequenceId, { ...before, ...move, moves: before.moves + 1 }, before.sk);
  const update = table.changes(before, after);
  return {
    Update: {
      Key: { pk: before.pk, sk: before.sk },
      ...update,
      ConditionExpression: 'moves = :read AND #was = :active',
      ExpressionAttributeNames: { ...update.ExpressionAttributeNames, '#was': 'status' },
      ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':read': before.moves, ':active': 'active' },
    },
  };
}

/** Moves an active subscriber on; false when somebody else was first. */
export async function advance(
  teamId: number,
  sequenceId: number,
  before: SubscriberItem,
  move: Move,
): Promise<boolean> {
  const { Update } = moved(teamId, sequenceId, before, move);
  return (await table.updateIf({ ...Update!, ReturnValues: 'NONE' })) !== undefined;
}

/** Ends the sequence for those who have had all its steps, with the notices of it in the same transaction. */
export async function complete(
  teamId: number,
  sequenceId: number,
  subscribers: readonly { before: SubscriberItem; move: Move }[],
): Promise<due.DueJob[]> {
  const outbox: due.DueJob[] = [];
  let left = subscribers;
  while (left.length > 0) {
    const group = left.slice(0, completedAtOnce);
    const notice = due.outboxEvent(
      teamId,
      group.map(({ before: { contact_id, email } }) =>
        sequenceEvent('sequence.completed', sequenceId, { id: contact_id!, email: email! }),
      ),
    );
    const end = { status: 'completed', completed_at: timestamp(), next_run_at: undefined } as const;
    const refused = await table.refusals([
      ...group.map(({ before, move }) => moved(teamId, sequenceId, before, { ...move, ...end })),
      { Put: { Item: notice } },
    ]);
    if (refused.length === 0) outbox.push(notice);
    const gone = new Set(refused.length === 0 ? group : refused.map((index) => group[index]!));
    left = left.filter((one) => !gone.has(one));
  }
  return outbox;
}

/** Takes somebody out of a sequence; false when nobody of this address waits there. */
export async function exit(teamId: number, sequenceId: number, email: string, reason: ExitReason): Promise<boolean> {
  const left = await table.updateIf({
    Key: keys.sequenceSubscriber(teamId, sequenceId, email),
    UpdateExpression: 'SET #status = :exited, exit_reason = :reason ADD moves :one REMOVE next_run_at, gsi2pk, gsi2sk',
    ConditionExpression: '#status = :active',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':exited': 'exited', ':reason': reason, ':one': 1, ':active': 'active' },
    ReturnValues: 'NONE',
  });
  return left !== undefined;
}

/** The sequences that a contact was enrolled into; one of the last second may be missing. */
export async function sequencesOf(teamId: number, contactId: number): Promise<number[]> {
  const found: number[] = [];
  const rows = table.queryAll<{ gsi1sk: string }>({
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': partitions.sequencesOfContact(teamId, contactId) },
  });
  for await (const { gsi1sk } of rows) found.push(Number(gsi1sk));
  return found;
}

/** Leaves of a person's rows only that somebody was there; again changes nothing. */
export async function anonymize(teamId: number, { id, email }: Enrollee): Promise<void> {
  for (const sequenceId of await sequencesOf(teamId, id)) {
    const key = keys.sequenceSubscriber(teamId, sequenceId, email);
    let before = await table.get<SubscriberItem>(key);
    // Its move of this moment came first, or the address is another contact's by now.
    while (before?.contact_id === id && !(await forget(teamId, sequenceId, before)))
      before = await table.get<SubscriberItem>(key);
  }
}

function forget(teamId: number, sequenceId: number, before: SubscriberItem): Promise<boolean> {
  const { status, exit_reason, completed_at, current_step, enrolled_at, enrolled_by } = before;
  const { had, missed, last_at, counted_from } = before;
  const ended: Pick<SubscriberItem, 'status' | 'exit_reason'> =
    status === 'active' ? { status: 'exited', exit_reason: 'erased' satisfies ExitReason } : { status, exit_reason };
  const nobody: SubscriberItem = {
    ...keys.erasedSubscriber(teamId, sequenceId, before.contact_id!),
    ...ended,
    ...{ completed_at, current_step, enrolled_at, enrolled_by, had, missed, last_at, counted_from },
    moves: before.moves + 1,
  };
  return table.transactIf([
    {
      Delete: {
        Key: { pk: before.pk, sk: before.sk },
        ConditionExpression: 'moves = :read',
        ExpressionAttributeValues: { ':read': before.moves },
      },
    },
    { Put: { Item: nobody } },
  ]);
}

/** Deletes up to `limit` of the rows that a deleted sequence left behind; true when there are no more. */
export async function purge(teamId: number, sequenceId: number, limit: number): Promise<boolean> {
  const rowsOf = async (pk: string) =>
    (
      await table.query<Key>({
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ProjectionExpression: 'pk, sk',
        ConsistentRead: true,
        Limit: rowsAtOnce,
      })
    ).items;
  for (let left = limit; left > 0; left -= rowsAtOnce) {
    const subscribers = await rowsOf(partitions.sequenceSubscribers(teamId, sequenceId));
    const gone = subscribers.length > 0 ? subscribers : await rowsOf(partitions.sequence(teamId, sequenceId));
    if (gone.length === 0) return true;
    await table.transact(gone.map(({ pk, sk }) => ({ Delete: { Key: { pk, sk } } })));
  }
  return false;
}

/** The subscriber as the API shows it; who waits is shown at the step that comes next as the steps now are. */
export function view(subscriber: SubscriberItem, steps: readonly Step[]) {
  const { status, current_step } = subscriber;
  const next = status === 'active' ? nextStep(steps, subscriber) : undefined;
  return {
    contact_id: subscriber.contact_id ?? null,
    email: subscriber.email ?? null,
    status,
    current_step: status === 'active' ? (next?.position ?? steps.length) : current_step,
    next_run_at: subscriber.next_run_at ?? null,
    enrolled_at: subscriber.enrolled_at,
    completed_at: subscriber.completed_at ?? null,
    exit_reason: subscriber.exit_reason ?? null,
  };
}
