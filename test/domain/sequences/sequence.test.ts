import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterStep,
  identifySteps,
  mayMove,
  nextStep,
  type Progress,
  type Step,
} from '../../../shared/domain/sequences/sequence.ts';
import { timestamp } from '../../../shared/domain/time.ts';

const start = Date.parse('2026-11-20T10:00:00Z');
const at = (days: number) => timestamp(start + days * 86_400_000);

/** A step that was added on the given day. */
const step = (id: number, since = 0, put_before: readonly Step[] = []): Step => ({
  id,
  delay_value: 1,
  delay_unit: 'days',
  subject: `Step ${id}`,
  template_id: null,
  body_id: `body-${id}`,
  body_hash: `hash-${id}`,
  has_unsubscribe_link: true,
  created_at: at(since),
  put_before: put_before.map((other) => other.id),
});

const enrolled: Progress = { had: [], missed: [], last_at: at(1), counted_from: at(1) };
const [a, b, c, d] = [step(1), step(2), step(3), step(4)] as const;

/** The progress of a subscriber that had these steps, one a day. */
function had(steps: readonly Step[], ids: readonly number[]): Progress {
  return ids.reduce(
    (progress, id, index) => afterStep(steps, progress, { step: id, dueAt: at(2 + index), sentAt: at(2 + index) }),
    enrolled,
  );
}

const next = (steps: readonly Step[], progress: Progress) => nextStep(steps, progress)?.step.id;

describe('the step that comes next', () => {
  it('is the first for a new subscriber, a delay after the enrolment', () => {
    expect(nextStep([a, b], enrolled)).toEqual({ step: a, position: 1, dueAt: start + 2 * 86_400_000 });
  });

  it('is the one after the last that was sent, and none at the end', () => {
    expect(next([a, b, c], had([a, b, c], [1]))).toBe(2);
    expect(next([a, b], had([a, b], [1, 2]))).toBeUndefined();
    expect(next([], enrolled)).toBeUndefined();
  });

  it('counts its delay from the due time of the step before, unless that was sent over an hour late', () => {
    const sent = (dueAt: string, sentAt: string) => afterStep([a, b], enrolled, { step: 1, dueAt, sentAt });
    expect(nextStep([a, b], sent(at(2), timestamp(Date.parse(at(2)) + 3_000)))!.dueAt).toBe(Date.parse(at(3)));
    expect(nextStep([a, b], sent(at(2), at(9)))!.dueAt).toBe(Date.parse(at(10)));
  });

  it('is the following one when the awaited one, or one that was sent, is removed', () => {
    expect(next([a, c], had([a, b, c], [1]))).toBe(3);
    expect(next([b, c], had([a, b, c], [1]))).toBe(2);
    expect(next([c], had([a, b, c], [1, 2]))).toBe(3);
  });

  it("is a new one after the subscriber's place, and never a new one before it", () => {
    const progress = had([a, b, c], [1, 2]);
    expect(next([a, b, step(9, 5, [c]), c], progress)).toBe(9);
    const fresh = step(9, 5, [a, b, c]);
    expect(next([fresh, a, b, c], progress)).toBe(3);
    const later = afterStep([fresh, a, b, c], progress, { step: 3, dueAt: at(6), sentAt: at(6) });
    expect(next([fresh, a, b, c], later)).toBeUndefined();
  });

  it('is one that was moved before the place of a subscriber that has not had it', () => {
    expect(next([c, a, b, d], had([a, b, c, d], [1, 2]))).toBe(3);
    expect(next([b, a, c], had([a, b, c], [1]))).toBe(2);
  });
});

describe('steps that a client writes again', () => {
  const ids = (before: readonly Step[], given: Parameters<typeof identifySteps>[1]) =>
    identifySteps(before, given).map((found) => found?.id);
  const says = ({ subject, body_hash }: Step) => ({ subject, body_hash });

  it('are the ones with their ids, in any order', () => {
    expect(
      ids(
        [a, b],
        [
          { ...says(b), id: 2 },
          { ...says(a), id: 1, subject: 'Other' },
        ],
      ),
    ).toEqual([2, 1]);
  });

  it('are, without an id, the ones with the same content, at any position', () => {
    expect(ids([a, b, c], [says(c), says(a), says(b)])).toEqual([3, 1, 2]);
    expect(ids([a, b], [says(a), says(d), says(b)])).toEqual([1, undefined, 2]);
    expect(ids([a, b, c], [says(a), says(c)])).toEqual([1, 3]);
  });

  it('are, without an id and with other content, the ones at their position', () => {
    expect(ids([a, b], [{ ...says(a), subject: 'Mended' }, says(b)])).toEqual([1, 2]);
  });

  it('are all different ones', () => {
    const twice = { ...b, ...says(a) };
    expect(ids([a, twice], [says(a), says(a)])).toEqual([1, 2]);
    expect(ids([a], [says(a), says(a)])).toEqual([1, undefined]);
  });
});

it('allows an activated sequence to pause and resume, and never to become a draft again', () => {
  expect(mayMove('draft', 'active') && mayMove('active', 'paused') && mayMove('paused', 'active')).toBe(true);
  expect(mayMove('draft', 'paused') || mayMove('active', 'draft') || mayMove('paused', 'draft')).toBe(false);
});

/** An edit of a list of steps: one is removed, added or moved. */
type Edit = { kind: 'remove' | 'insert' | 'move' | 'none'; from: number; to: number };
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('remove', 'insert', 'move', 'none'),
  from: fc.nat(20),
  to: fc.nat(20),
});

it('repeats no step, and skips only steps added before the place, through any edits', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
      let steps = [a, b, c];
      let [id, day] = [10, 2];
      let progress = enrolled;
      const got: number[] = [];
      const missed = new Set<number>();
      const sendNext = () => {
        const following = nextStep(steps, progress);
        if (!following) return false;
        day++;
        got.push(following.step.id);
        progress = afterStep(steps, progress, { step: following.step.id, dueAt: at(day), sentAt: at(day) });
        return true;
      };
      for (const { kind, from, to } of edits) {
        day++;
        if (kind === 'remove') steps = steps.filter((_, index) => index !== from % Math.max(1, steps.length));
        if (kind === 'insert') {
          const place = to % (steps.length + 1);
          if (steps.slice(place).some((other) => got.includes(other.id))) missed.add(id);
          steps = steps.toSpliced(place, 0, step(id++, day, steps.slice(place)));
        }
        if (kind === 'move' && steps.length > 0) {
          const index = from % steps.length;
          const moved = steps[index]!;
          steps = steps.toSpliced(index, 1);
          steps = steps.toSpliced(to % (steps.length + 1), 0, moved);
        }
        if (from % 2 === 0) sendNext();
      }
      while (sendNext());
      expect(new Set(got).size).toBe(got.length);
      const left = steps.map(({ id: one }) => one).filter((one) => !got.includes(one));
      for (const one of left) expect(missed.has(one)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
