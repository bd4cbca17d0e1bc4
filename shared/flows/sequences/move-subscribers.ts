import * as marks from '../../data/sequences/due-marks.ts';
import { advance, complete } from '../../data/sequences/moves.ts';
import { type Page, shardOf } from '../../data/sequences/shards.ts';
import type { SubscriberItem } from '../../data/sequences/subscribers.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { afterStep, nextStep, type Progress, type Step } from '../../domain/sequences/sequence.ts';
import { timestamp } from '../../domain/time.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

const concurrency = 16;

/** A sequence with its present steps. */
export interface SequenceContext {
  teamId: number;
  sequenceId: number;
  steps: readonly Step[];
}

/** A subscriber as it was read, and its progress from now on. */
interface Moving {
  before: SubscriberItem;
  progress: Progress;
}

/** Schedules subscribers for their next step in the present order; one without a next step completes. */
export function reschedule(context: SequenceContext, due: readonly SubscriberItem[]): Promise<void> {
  const moving = due.map((before) => ({ before, progress: before }));
  return moveAll(context, moving);
}

/**
 * Moves the subscribers of a page by the outcomes of their messages: after `sent` to the next step; without an outcome
 * too, with the step noted as unknown; after `failed` to the end. One that has moved since is left alone, so a page can
 * be settled twice. `rows` are the subscribers of the page's entries, as they were read.
 */
export async function settlePage(
  context: SequenceContext,
  page: Page,
  rows: readonly (SubscriberItem | undefined)[],
): Promise<void> {
  const { teamId, sequenceId, steps } = context;
  const unmoved = page.entries.flatMap((entry, index) => {
    const before = rows[index];
    return before?.status === 'active' && before.moves === entry.moves ? [{ entry, before }] : [];
  });
  await concurrently(unmoved, concurrency, async ({ entry: { outcome }, before }) => {
    if (outcome?.status !== 'failed') return;
    const exit_reason = outcome.error.slice(0, 300);
    await advance(teamId, sequenceId, before, { status: 'failed', exit_reason, next_run_at: undefined });
  });
  const sent = unmoved.flatMap(({ entry: { outcome, step_id: step }, before }): Moving[] => {
    if (outcome && outcome.status !== 'sent') return [];
    const dueAt = before.next_run_at ?? page.claimed_at;
    const sent = { step, dueAt, sentAt: page.claimed_at, unknown: !outcome };
    return [{ before, progress: afterStep(steps, before, sent) }];
  });
  await moveAll(context, sent);
}

async function moveAll({ teamId, sequenceId, steps }: SequenceContext, moving: readonly Moving[]): Promise<void> {
  const all = moving.map(({ before, progress: { had, unknown, missed, last_at, counted_from } }) => {
    const progress = { had, unknown, missed, last_at, counted_from };
    return { before, progress, next: nextStep(steps, progress) };
  });
  const going = all.flatMap(({ before, progress, next }) => (next ? [{ before, progress, next }] : []));
  const waiting = going.map(({ before, next: { dueAt } }) => ({ shard: shardOf(before), dueAt }));
  await marks.put(teamId, sequenceId, waiting);
  await concurrently(going, concurrency, async ({ before, progress, next }) => {
    const move = { ...progress, current_step: next.position, next_run_at: timestamp(next.dueAt) };
    await advance(teamId, sequenceId, before, move);
  });
  const completed = all.filter(({ next }) => !next);
  const moves = completed.map(({ before, progress }) => ({
    before,
    move: { ...progress, current_step: steps.length },
  }));
  await publishDomainEvents(await complete(teamId, sequenceId, moves));
}
