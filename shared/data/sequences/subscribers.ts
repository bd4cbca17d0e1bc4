import type { SequenceEvent } from '../../domain/domain-event.ts';
import { nextStep, type Progress, type Step, type SubscriberStatus } from '../../domain/sequences/sequence.ts';
import { timestamp } from '../../domain/time.ts';
import { type IndexKeys, type Key, keys, padId, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import { shardOf } from './shards.ts';

/** A contact in a sequence, by address; gsi1 lists the sequences of a contact, gsi2 the waiting of a shard, by time. */
export interface SubscriberItem extends Progress, Key, IndexKeys {
  /** Absent after erasure. */
  contact_id?: number;
  email?: string;
  status: SubscriberStatus;
  /** Why it did not complete: the reason of its exit, or the provider's error. */
  exit_reason?: string;
  /** Position of the step that it waits for; once ended, of the step that it waited for. */
  current_step: number;
  next_run_at?: string;
  enrolled_at: string;
  completed_at?: string;
  /** The operation that enrolled it. */
  enrolled_by: string;
  /** Absent in rows of the version before. */
  shard?: number;
  /** Grows with every change: each change has the count that was read as its condition. */
  moves: number;
}

/** A contact to enrol. */
export interface Enrollee {
  id: number;
  email: string;
}

/** A subscriber with its keys; only a waiting one is in gsi2. */
export function toItem(
  teamId: number,
  sequenceId: number,
  subscriber: Omit<SubscriberItem, keyof Key>,
  email: string,
): SubscriberItem {
  const { contact_id, status, next_run_at } = subscriber;
  const waits = status === 'active' && next_run_at !== undefined;
  const key = keys.sequenceSubscriber(teamId, sequenceId, email);
  return {
    ...subscriber,
    ...key,
    gsi1pk: contact_id === undefined ? undefined : partitions.sequencesOfContact(teamId, contact_id),
    gsi1sk: contact_id === undefined ? undefined : padId(sequenceId),
    gsi2pk: waits ? partitions.sequenceDue(teamId, sequenceId, shardOf({ ...subscriber, ...key })) : undefined,
    gsi2sk: waits ? `${next_run_at}#${email}` : undefined,
  };
}

/** Reads one subscriber by its address; undefined when it was never enrolled. */
export function find(teamId: number, sequenceId: number, email: string): Promise<SubscriberItem | undefined> {
  return table.get<SubscriberItem>(keys.sequenceSubscriber(teamId, sequenceId, email));
}

/** Reads many subscribers, in the order of the addresses; undefined where there is none. */
export function batch(
  teamId: number,
  sequenceId: number,
  emails: readonly string[],
): Promise<(SubscriberItem | undefined)[]> {
  return table.batchGet<SubscriberItem>(emails.map((email) => keys.sequenceSubscriber(teamId, sequenceId, email)));
}

/** The subscribers of a sequence by email, erased ones first. */
export function list(teamId: number, sequenceId: number): Source<SubscriberItem> {
  return partition<SubscriberItem>({ pk: partitions.sequenceSubscribers(teamId, sequenceId) });
}

/** Due subscribers of a shard, longest due first, after a `place`; read from an index: some may have moved on since. */
export async function dueNow(
  teamId: number,
  sequenceId: number,
  shard: number,
  { after = ' ', limit }: { after?: string; limit: number },
): Promise<{ email: string; place: string }[]> {
  const due = partitions.sequenceDue(teamId, sequenceId, shard);
  // `!` sorts before every character of an address: this is after `after` and before every other place.
  const range = table.within(due, { index: 'gsi2', between: [`${after}!`, `${timestamp()}~`] });
  const { items } = await table.query<Key & { gsi2sk: string }>({ ...range, Limit: limit });
  return items.map(({ sk, gsi2sk }) => ({ email: sk, place: gsi2sk }));
}

/** When the next step of a shard is due; undefined when no subscriber waits. */
export async function nextDueAt(teamId: number, sequenceId: number, shard: number): Promise<string | undefined> {
  const { items } = await table.query<{ gsi2sk: string }>({
    ...table.within(partitions.sequenceDue(teamId, sequenceId, shard), { index: 'gsi2' }),
    Limit: 1,
  });
  return items[0]?.gsi2sk.split('#', 1)[0];
}

/** The sequences that a contact was enrolled into; one enrolled within the last second may be missing. */
export async function sequencesOf(teamId: number, contactId: number): Promise<number[]> {
  const of = table.within(partitions.sequencesOfContact(teamId, contactId), { index: 'gsi1' });
  return (await table.all<{ gsi1sk: string }>(of)).map(({ gsi1sk }) => Number(gsi1sk));
}

/** The domain event of a contact that entered or completed a sequence. */
export const sequenceEvent = (
  type: SequenceEvent['type'],
  sequence_id: number,
  { id, email }: Enrollee,
): SequenceEvent => ({ id: `${type}-${sequence_id}-${id}`, type, sequence_id, contact_id: id, email });

/** The subscriber as the API shows it; a waiting one is shown at its next step in the present order. */
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
    unknown_steps: [...(subscriber.unknown ?? [])],
  };
}
