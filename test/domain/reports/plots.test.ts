import { describe, expect, it } from 'vitest';
import { bucketsOf, funnel, timeline } from '../../../shared/domain/reports/plots.ts';
import { addMoments, type Moments, noTallies } from '../../../shared/domain/reports/tallies.ts';

const start = new Date('2026-11-20T10:00:00Z');
const hoursOn = (hours: number) => new Date(start.getTime() + hours * 3_600_000).toISOString();
/** The moments of first opens and clicks. */
function moments(opened: readonly string[] = [], clicked: readonly string[] = []): Moments {
  const found = noTallies();
  for (const at of opened) addMoments(found, start, { opened_at: at });
  for (const at of clicked) addMoments(found, start, { clicked_at: at });
  return found;
}
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the buckets of a report', () => {
  it('hold every open and click once, in at most 48 buckets of whole hours', () => {
    for (const hours of [0.1, 1, 30, 47, 48, 49, 24 * 30, 24 * 180]) {
      const opened = [hoursOn(0), hoursOn(hours / 2), hoursOn(hours)];
      const buckets = bucketsOf(start, new Date(hoursOn(hours)), moments(opened, [hoursOn(hours)]));
      expect(sum(buckets.map((bucket) => bucket.opened))).toBe(3);
      expect(sum(buckets.map((bucket) => bucket.clicked))).toBe(1);
      expect(buckets.length).toBe(Math.max(1, Math.ceil(hours / Math.ceil(hours / 48))));
      for (const { at } of buckets) {
        expect((at.getTime() - start.getTime()) % 3_600_000).toBe(0);
        expect(at.getTime()).toBeLessThan(Date.parse(hoursOn(hours)));
      }
    }
  });

  it('are one when there are no opens', () => {
    expect(bucketsOf(start, start, moments())).toHaveLength(1);
  });
});

describe('the plots of a report', () => {
  it('describe in words what they show', () => {
    const plot = timeline(bucketsOf(start, new Date(hoursOn(3)), moments([hoursOn(1), hoursOn(2)], [hoursOn(2)])));
    expect(plot).toContain('2 people opened and 1 clicked for the first time between 20 Nov, 10:00 UTC');
    const early = timeline(bucketsOf(start, new Date(hoursOn(0.2)), moments([hoursOn(0.1)])));
    expect(early).toContain('1 people opened and 0 clicked for the first time from 20 Nov, 10:00 UTC on');
    expect(early).toContain('points="0.00,50.00 100.00,50.00"');
    expect(early).not.toContain('11:00');
    const steps = funnel([
      { label: 'Sent', value: 4_000 },
      { label: 'Opened', value: 1_000 },
    ]);
    expect(steps).toMatch(/Opened<.*width:25\.0%.*>1,000</);
  });

  it('have a scale that holds every count and whose middle is a whole number', () => {
    for (const most of [...Array(300).keys(), 999, 1_000, 1_001, 123_456]) {
      const [bucket, ...others] = bucketsOf(start, start, moments());
      const plot = timeline([{ ...bucket!, opened: most }, ...others]);
      const [top, middle] = [...plot.matchAll(/<span>([\d,.]+)<\/span>/g)].map(([, text]) =>
        Number(text!.replaceAll(',', '')),
      );
      expect(top).toBeGreaterThanOrEqual(Math.max(1, most));
      expect(top).toBeLessThanOrEqual(Math.max(2, 2 * most));
      expect([middle! * 2, middle! % 1]).toEqual([top, 0]);
      const points = [...plot.matchAll(/polyline[^>]* points="([^"]*)"/g)].flatMap(([, line]) => line!.split(' '));
      expect(points).toHaveLength(4);
      for (const height of points.map((point) => Number(point.split(',')[1]))) {
        expect(height).toBeGreaterThanOrEqual(0);
        expect(height).toBeLessThanOrEqual(100);
      }
    }
  });

  it('have numbers everywhere, whatever the counts are', () => {
    const empty = funnel([
      { label: 'Sent', value: 0 },
      { label: 'Opened', value: 0 },
    ]);
    for (const plot of [empty, timeline(bucketsOf(start, start, moments()))]) expect(plot).not.toMatch(/NaN|Infinity/);
  });
});
