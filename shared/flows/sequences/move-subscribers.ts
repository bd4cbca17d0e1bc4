import type { Page, PageEntry } from '../../data/sequences/shards.ts';
import type { Move, SubscriberItem } from '../../data/sequences/subscribers.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { afterStep, nextStep, type Progress, type Step } from '../../domain/sequences/sequence.ts';
import { timestamp } from '../../domain/time.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

const lanes = 16;

/** A sequence with its steps as they now are. */
export interface Course {
  teamId: number;
  sequenceId: number;
  steps: readonly Step[];
}

/** What a subscriber becomes with this progress; undefined where no step is left for it. */
function waiting({ steps }: Course, progress: Progress): Move | undefined {
  const next = nextStep(steps, progress);
  return next && { ...progress, current_step: next.position, next_run_at: timestamp(next.dueAt) };
}

/** Lets subscribers wait for the step that comes next as the steps now are; who has none left has completed. */
export async function letWait(course: Course, due: readonly SubscriberItem[]): Promise<void> {
  await move(
    course,
    due.map((before) => ({ before, progress: before })),
  );
}

/**
 * Moves everybody on a page on by what became of the message: sent, or perhaps sent, to the next step; refused, to the end. Whoever has moved on
 * since is left alone, so a page can be settled twice. `rows` are its subscribers as they were read.
 */
export async function settlePage(
  course: Course,
  page: Page,
  rows: readonly (SubscriberItem | undefined)[],
): Promise<void> {
  const { teamId, sequenceId, steps } = course;
  const reached = page.entries.flatMap((entry, index): Reached[] => {
    const before = rows[index];
    return before?.status === 'active' && before.moves === entry.moves ? [{ entry, before }] : [];
  });
  await concurrently(reached, lanes, async ({ entry: { outcome }, before }) => {
    if (outcome?.status === 'failed')
      await subscribers.advance(teamId, sequenceId, before, {
        status: 'failed',
        exit_reason: outcome.error.slice(0, 300),
        next_run_at: undefined,
      });
  });
  const sent = reached.filter(({ entry: { outcome } }) => (outcome?.status ?? 'sent') === 'sent');
  await move(
    course,
    sent.map(({ entry, before }) => ({
      before,
      progress: afterStep(steps, before, {
        step: entry.step_id,
        dueAt: before.next_run_at ?? page.claimed_at,
        sentAt: page.claimed_at,
      }),
    })),
  );
}

interface Reached {
  entry: PageEntry;
  before: SubscriberItem;
}

async function move(course: Course, moving: readonly { before: SubscriberItem; progress: Progress }[]): Promise<void> {
  const { teamId, sequenceId, steps } = course;
  const ended: { before: SubscriberItem; move: Move }[] = [];
  await concurrently(moving, lanes, async ({ before, progress: { had, missed, last_at, counted_from } }) => {
    const progress = { had, missed, last_at, counted_from };
    const next = waiting(course, progress);
    if (next) await subscribers.advance(teamId, sequenceId, before, next);
    else ended.push({ before, move: { ...progress, current_step: steps.length } });
  });
  await publishDomainEvents(await subscribers.complete(teamId, sequenceId, ended));
}
