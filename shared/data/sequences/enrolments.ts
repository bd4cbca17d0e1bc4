import { nextStep, type Progress, type Step } from '../../domain/sequences/sequence.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as marks from './due-marks.ts';
import { shardOf, spread } from './shards.ts';
import { batch, type Enrollee, type SubscriberItem, sequenceEvent, toItem } from './subscribers.ts';

/** Contacts that one transaction enrols: it also writes the count and the event, and holds at most 100 rows. */
const enrolledAtOnce = 90;

/**
 * Enrols contacts, each at most once ever, in transactions with the sequence's count and the domain events. Returns the
 * addresses that the operation `by` has enrolled, in an earlier execution too, with their shards; undefined when the
 * sequence is not active.
 */
export async function enrol(
  teamId: number,
  sequenceId: number,
  contacts: readonly Enrollee[],
  { steps, by }: { steps: readonly Step[]; by: string },
): Promise<{ enrolled: Map<string, number>; outbox: due.DueJob[] } | undefined> {
  const enrolled = new Map<string, number>();
  const outbox: due.DueJob[] = [];
  const readRows = async (of: readonly Enrollee[]) => {
    const emails = of.map(({ email }) => email);
    const rows = await batch(teamId, sequenceId, emails);
    for (const row of rows) if (row?.enrolled_by === by && row.email) enrolled.set(row.email, shardOf(row));
    return rows;
  };
  const rows = await readRows(contacts);
  let left = contacts.filter((_contact, index) => !rows[index]);
  while (left.length > 0) {
    const group = left.slice(0, enrolledAtOnce);
    const events = group.map((contact) => sequenceEvent('sequence.enrolled', sequenceId, contact));
    const event = due.outboxEvent(teamId, events);
    const first = firstStep(steps);
    const shards = spread(group.length);
    const dueAt = Date.parse(first.next_run_at);
    await marks.put(
      teamId,
      sequenceId,
      shards.map((shard) => ({ shard, dueAt })),
    );
    const refused = await table.refusals([
      countMore(teamId, sequenceId, group.length),
      { Put: { Item: event } },
      ...group.map((contact, index) => ({
        Put: {
          Item: newSubscriber(teamId, sequenceId, contact, { ...first, shard: shards[index]! }, by),
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      })),
    ]);
    if (refused.includes(0)) return undefined;
    const settled = refused.length === 0 ? group : refused.map((index) => group[index - 2]!);
    if (refused.length > 0) await readRows(settled);
    else {
      outbox.push(event);
      for (const [index, { email }] of group.entries()) enrolled.set(email, shards[index]!);
    }
    left = left.filter((contact) => !settled.includes(contact));
  }
  return { enrolled, outbox };
}

const countMore = (teamId: number, sequenceId: number, count: number): table.TransactionWrite => ({
  Update: {
    Key: keys.sequence(teamId, sequenceId),
    UpdateExpression: 'ADD subscribers_count :count',
    ConditionExpression: '#status = :active',
    ExpressionAttributeValues: { ':count': count, ':active': 'active' },
  },
});

/** The progress of subscribers that are enrolled now, and the step that they wait for. */
function firstStep(steps: readonly Step[]) {
  const at = timestamp();
  const progress: Progress = { had: [], missed: [], last_at: at, counted_from: at };
  const next = nextStep(steps, progress);
  const next_run_at = timestamp(next?.dueAt ?? Date.now());
  return { ...progress, current_step: next?.position ?? 0, next_run_at, enrolled_at: at };
}

function newSubscriber(
  teamId: number,
  sequenceId: number,
  { id, email }: Enrollee,
  first: ReturnType<typeof firstStep> & { shard: number },
  by: string,
): SubscriberItem {
  const subscriber = { ...first, contact_id: id, email, status: 'active' as const, enrolled_by: by, moves: 0 };
  return toItem(teamId, sequenceId, subscriber, email);
}
