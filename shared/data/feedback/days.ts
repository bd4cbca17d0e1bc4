import * as rows from '../events/rows.ts';
import type { Source } from '../paging.ts';

/** A listing of a team's days with events, newest first, from the listing of each day; positions are times. */
export function dayByDay<T>(teamId: number, low: string, high: string, ofDay: (day: string) => Source<T>): Source<T> {
  return async function* (direction, from, batch) {
    const [first, last] = direction === 'forward' ? [low, from ?? high] : [from ?? low, high];
    if (first > last) return;
    const days = await rows.days(teamId, first, last);
    if (direction === 'backward') days.reverse();
    for (const day of days) yield* ofDay(day)(direction, from, batch);
  };
}
