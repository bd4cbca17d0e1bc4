import type { ExitReason } from '../../domain/sequences/sequence.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import { type SubscriberItem, sequenceEvent, toItem } from './subscribers.ts';

/** Subscribers that one transaction completes. */
const completedAtOnce = 90;

/** The fields that a move changes. */
export type Move = Partial<Omit<SubscriberItem, 'pk' | 'sk' | 'moves'>>;

/** The update that moves an active subscriber, on condition that it has not moved since it was read. */
function moved(teamId: number, sequenceId: number, before: SubscriberItem, move: Move) {
  const after = toItem(teamId, sequenceId, { ...before, ...move, moves: before.moves + 1 }, before.sk);
  return table.editOf(before, after, 'moves = :read AND #status = :active', {
    ':read': before.moves,
    ':active': 'active',
  });
}

/** Moves an active subscriber; false when it has moved since it was read. */
export function advance(teamId: number, sequenceId: number, before: SubscriberItem, move: Move): Promise<boolean> {
  return table.writeIf(moved(teamId, sequenceId, before, move));
}

/** Completes the sequence for subscribers without a next step, in transactions with the domain events. */
export async function complete(
  teamId: number,
  sequenceId: number,
  subscribers: readonly { before: SubscriberItem; move: Move }[],
): Promise<due.DueJob[]> {
  const outbox: due.DueJob[] = [];
  let left = subscribers;
  while (left.length > 0) {
    const group = left.slice(0, completedAtOnce);
    const events = group.map(({ before: { contact_id, email } }) =>
      sequenceEvent('sequence.completed', sequenceId, { id: contact_id!, email: email! }),
    );
    const event = due.outboxEvent(teamId, events);
    const end = { status: 'completed', completed_at: timestamp(), next_run_at: undefined } as const;
    const refused = await table.refusals([
      ...group.map(({ before, move }) => ({ Update: moved(teamId, sequenceId, before, { ...move, ...end }) })),
      { Put: { Item: event } },
    ]);
    if (refused.length === 0) outbox.push(event);
    const settled = refused.length === 0 ? group : refused.map((index) => group[index]!);
    left = left.filter((subscriber) => !settled.includes(subscriber));
  }
  return outbox;
}

/** Takes a subscriber out of a sequence; false when the address has no active one. */
export function exit(teamId: number, sequenceId: number, email: string, reason: ExitReason): Promise<boolean> {
  return table.writeIf({
    Key: keys.sequenceSubscriber(teamId, sequenceId, email),
    UpdateExpression: 'SET #status = :exited, exit_reason = :reason ADD moves :one REMOVE next_run_at, gsi2pk, gsi2sk',
    ConditionExpression: '#status = :active',
    ExpressionAttributeValues: { ':exited': 'exited', ':reason': reason, ':one': 1, ':active': 'active' },
  });
}
