import { escapeHtml } from './merge-tags.ts';

/** A named number of a plot. */
export interface Bar {
  label: string;
  value: number;
}

/** One bucket of a plot over time. */
export interface Bucket {
  /** Its beginning. */
  at: Date;
  opened: number;
  clicked: number;
}

const number = (value: number): string => value.toLocaleString('en-US');
const hourMs = 3_600_000;
const mostBuckets = 48;

/** Moments of first opens and clicks in at most 48 equal buckets of whole hours, from the send on; the last one holds what came later than `now`. */
export function bucketsOf(start: Date, now: Date, opened: readonly string[], clicked: readonly string[]): Bucket[] {
  const latest = Math.max(start.getTime() + hourMs, ...[...opened, ...clicked].map((at) => Date.parse(at)));
  const hours = Math.max(1, Math.ceil((Math.min(latest, now.getTime()) - start.getTime()) / hourMs));
  const each = Math.ceil(hours / mostBuckets) * hourMs;
  const count = Math.max(2, Math.ceil((hours * hourMs) / each));
  const buckets = Array.from({ length: count }, (_, index) => ({
    at: new Date(start.getTime() + index * each),
    opened: 0,
    clicked: 0,
  }));
  const bucketOf = (at: string) =>
    buckets[Math.min(count - 1, Math.max(0, Math.floor((Date.parse(at) - start.getTime()) / each)))]!;
  for (const at of opened) bucketOf(at).opened++;
  for (const at of clicked) bucketOf(at).clicked++;
  return buckets;
}

/** A funnel as HTML: one bar a step, as long as its share of the largest, with its share of the first in words. */
export function funnel(steps: readonly Bar[]): string {
  const most = Math.max(1, ...steps.map(({ value }) => value));
  const rows = steps.map(({ label, value }, index) => {
    const share = index > 0 && steps[0]!.value > 0 ? ` · ${Math.round((value / steps[0]!.value) * 100)}%` : '';
    const length = ((value / most) * 100).toFixed(1);
    return `<li><span>${escapeHtml(label)}</span><span class="track"><span class="bar" style="width:${length}%"></span></span><span class="value">${number(value)}${share}</span></li>`;
  });
  return `<ul class="funnel">${rows.join('')}</ul>`;
}

/** Opens and clicks over time: two lines as SVG, which takes the room that there is, between labels that stay readable. */
export function timeline(buckets: readonly Bucket[]): string {
  const most = Math.max(1, ...buckets.map(({ opened, clicked }) => Math.max(opened, clicked)));
  const point = (value: number, index: number) =>
    `${((index / Math.max(1, buckets.length - 1)) * 100).toFixed(2)},${((1 - value / most) * 100).toFixed(2)}`;
  const line = (kind: 'opened' | 'clicked') =>
    `<polyline class="${kind}" points="${buckets.map((bucket, index) => point(bucket[kind], index)).join(' ')}"/>`;
  const sum = (kind: 'opened' | 'clicked') => number(buckets.reduce((total, bucket) => total + bucket[kind], 0));
  const [first, last] = [moment(buckets[0]!.at), moment(buckets.at(-1)!.at)];
  const text = `${sum('opened')} people opened and ${sum('clicked')} clicked for the first time between ${first} and ${last}`;
  return `<figure class="timeline"><div class="ends"><span>${number(most)} at most</span></div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(text)}">${line('opened')}${line('clicked')}</svg><div class="ends"><span>${first}</span><span>${last}</span></div></figure>`;
}

/** A moment for people: `20 Nov, 10:00 UTC`. */
function moment(at: Date): string {
  const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return `${new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(at)} UTC`;
}
