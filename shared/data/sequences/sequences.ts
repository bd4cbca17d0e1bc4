import { type SequenceStatus, type TriggerType, triggerFields } from '../../domain/sequences/sequence.ts';
import { timestamp } from '../../domain/time.ts';
import type { DueJob } from '../due-jobs.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';
import { changeVersioned, type Decision } from '../versioned.ts';
import { toItem as dueMark } from './due-marks.ts';

/** A sequence; its steps, subscribers and shards are separate rows. */
export interface SequenceItem extends Key {
  id: number;
  name: string;
  description?: string;
  status: SequenceStatus;
  trigger_type: TriggerType;
  trigger_tag_id?: number;
  trigger_list_id?: number;
  trigger_waitlist_id?: number;
  from_email?: string;
  from_name?: string;
  reply_to?: string;
  /** Everyone ever enrolled; written with each enrolment. */
  subscribers_count: number;
  /** Grows with every change of the sequence or its steps, not with enrolments. */
  version: number;
  created_at: string;
  updated_at: string;
}

/** The fields of a sequence that a client may write; `null` clears. */
export interface SequenceInput {
  name?: string;
  description?: string | null;
  status?: SequenceStatus;
  trigger_type?: TriggerType | null;
  trigger_tag_id?: number | null;
  trigger_list_id?: number | null;
  trigger_waitlist_id?: number | null;
  from_email?: string | null;
  from_name?: string | null;
  reply_to?: string | null;
}

/** What enrols contacts into an active sequence. */
export interface Trigger {
  sequence_id: number;
  type: TriggerType;
  /** The tag, list or waitlist. */
  record_id?: number;
}

/** The number of shards that the active sequences of all teams are listed in. */
export const listShards = 4;
const listShardOf = (teamId: number, id: number): number => (teamId + id) % listShards;

/** The reads of sequences. */
export const { find, list } = numbered<SequenceItem>(partitions.sequences, keys.sequence);

/** Stores a new sequence as a draft; a repetition with the same id changes nothing. */
export async function create(
  teamId: number,
  id: number,
  input: SequenceInput & { name: string },
): Promise<SequenceItem> {
  const at = timestamp();
  const blank: SequenceItem = {
    ...keys.sequence(teamId, id),
    id,
    name: input.name,
    status: 'draft',
    trigger_type: 'manual',
    subscribers_count: 0,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  const item = withInput(blank, { ...input, status: undefined });
  if (await table.putNew(item)) return item;
  return (await find(teamId, id)) ?? item;
}

/** A sequence with the input's fields applied. */
export function withInput(before: SequenceItem, input: SequenceInput): SequenceItem {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const fields = Object.fromEntries(given.map(([name, value]) => [name, value || undefined]));
  const after = { ...before, ...fields };
  return { ...after, trigger_type: after.trigger_type ?? 'manual', updated_at: timestamp() };
}

/** Changes a sequence, its trigger rows and others, as `changeVersioned` does. */
export function change<T>(
  teamId: number,
  id: number,
  decide: (sequence: SequenceItem) => Promise<Decision<SequenceItem, T> & { after: SequenceItem }>,
): Promise<T | undefined> {
  return changeVersioned(
    'sequence',
    () => find(teamId, id),
    async (before) => {
      const { result, after, writes = [] } = await decide(before);
      const begins = after.status === 'active' && before.status !== 'active' ? [lookAtAll(teamId, id)] : [];
      return { result, after, writes: [...triggerWrites(teamId, after), ...begins, ...writes] };
    },
  );
}

/** Only an active sequence is listed for the sweep and for its trigger's events. */
function triggerWrites(teamId: number, sequence: SequenceItem): table.TransactionWrite[] {
  const { id, status, trigger_type: type } = sequence;
  const active = keys.activeSequence(listShardOf(teamId, id), teamId, id);
  const trigger = keys.sequenceTrigger(teamId, id);
  if (status !== 'active') return [{ Delete: { Key: active } }, { Delete: { Key: trigger } }];
  const item: Trigger & Key = { ...trigger, sequence_id: id, type, record_id: triggerRecord(sequence) };
  return [
    { Put: { Item: { ...active, team_id: teamId, sequence_id: id } } },
    type === 'manual' ? { Delete: { Key: trigger } } : { Put: { Item: item } },
  ];
}

/** Nobody follows the marks of a sequence that is not active. */
const lookAtAll = (teamId: number, id: number): table.TransactionWrite => ({
  Put: { Item: dueMark(teamId, id, { dueAt: Date.now() }) },
});

/** The id of the trigger's tag, list or waitlist; undefined where the trigger has none. */
function triggerRecord(sequence: Pick<SequenceItem, 'trigger_type'> & Partial<SequenceItem>) {
  const { trigger_type: type } = sequence;
  return type in triggerFields ? sequence[triggerFields[type as keyof typeof triggerFields]] : undefined;
}

/** The triggers of the team's active sequences. */
export function triggers(teamId: number): Promise<Trigger[]> {
  return table.all<Trigger & Key>({ ...table.within(partitions.sequenceTriggers(teamId)), ConsistentRead: true });
}

/** An active sequence, as a shard of all teams' active ones lists it. */
export type ActiveSequence = Key & { team_id: number; sequence_id: number };

/** Up to `count` active sequences of all teams in a shard, after a position, which is a sort key. */
export async function active(shard: number, after: string | undefined, count: number): Promise<ActiveSequence[]> {
  const range = table.within(partitions.activeSequences(shard), { between: [`${after ?? ''} `, '~'] });
  return (await table.query<ActiveSequence>({ ...range, Limit: count })).items;
}

/** Deletes a sequence, which stops all sending, and stores the job `purge` that deletes its other rows. */
export async function remove(teamId: number, id: number, purge: DueJob): Promise<void> {
  await table.transactIf([
    { Delete: { Key: keys.sequence(teamId, id), ConditionExpression: 'attribute_exists(pk)' } },
    { Delete: { Key: keys.activeSequence(listShardOf(teamId, id), teamId, id) } },
    { Delete: { Key: keys.sequenceTrigger(teamId, id) } },
    { Put: { Item: purge } },
  ]);
}

/** The sequence as the API shows it. */
export function view(sequence: SequenceItem) {
  return {
    id: sequence.id,
    name: sequence.name,
    description: sequence.description ?? null,
    status: sequence.status,
    trigger_type: sequence.trigger_type,
    subscribers_count: sequence.subscribers_count,
    trigger_tag_id: sequence.trigger_tag_id ?? null,
    trigger_list_id: sequence.trigger_list_id ?? null,
    trigger_waitlist_id: sequence.trigger_waitlist_id ?? null,
    from_email: sequence.from_email ?? null,
    from_name: sequence.from_name ?? null,
    reply_to: sequence.reply_to ?? null,
  };
}
