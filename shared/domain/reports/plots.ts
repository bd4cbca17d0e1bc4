import { escapeHtml } from '../messages/merge-tags.ts';
import type { Moments } from './tallies.ts';

/** A labelled value of a plot. */
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
const maxBuckets = 48;

/** First opens and clicks in at most 48 buckets of whole hours, none of which begins after `now`. */
export function bucketsOf(start: Date, now: Date, { hours: byHour, latest }: Moments): Bucket[] {
  const last = Math.max(start.getTime() + hourMs, latest === undefined ? 0 : Date.parse(latest));
  const hours = Math.max(1, Math.ceil((Math.min(last, now.getTime()) - start.getTime()) / hourMs));
  const each = Math.ceil(hours / maxBuckets);
  const count = Math.ceil(hours / each);
  const buckets = Array.from({ length: count }, (_, index) => ({
    at: new Date(start.getTime() + index * each * hourMs),
    opened: 0,
    clicked: 0,
  }));
  for (const [hour, { opened, clicked }] of Object.entries(byHour)) {
    const bucket = buckets[Math.min(count - 1, Math.floor(Number(hour) / each))]!;
    bucket.opened += opened;
    bucket.clicked += clicked;
  }
  return buckets;
}

/** A funnel as HTML: a bar per step, in proportion to the largest. */
export function funnel(steps: readonly Bar[]): string {
  const max = Math.max(1, ...steps.map(({ value }) => value));
  const rows = steps.map(({ label, value }) => {
    const length = ((value / max) * 100).toFixed(1);
    const bar = `<span class="track"><span class="bar" style="width:${length}%"></span></span>`;
    return `<li><span>${escapeHtml(label)}</span>${bar}<span class="value">${number(value)}</span></li>`;
  });
  return `<ul class="funnel">${rows.join('')}</ul>`;
}

/** The end of a scale for a largest value; half of it is a whole number, too. */
function topOf(max: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, max))) - 1);
  const tops = [2, 4, 6, 8, 10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100];
  return power * tops.find((top) => top * power >= max)!;
}

/** Opens and clicks over time as two SVG lines that fill the available width, with HTML labels. */
export function timeline(buckets: readonly Bucket[]): string {
  const top = topOf(Math.max(...buckets.map(({ opened, clicked }) => Math.max(opened, clicked))));
  // One bucket is a level line, not a point.
  const drawn = buckets.length > 1 ? buckets : [buckets[0]!, buckets[0]!];
  const points = (kind: 'opened' | 'clicked') =>
    drawn
      .map((bucket, index) => {
        const across = (index / (drawn.length - 1)) * 100;
        return `${across.toFixed(2)},${((1 - bucket[kind] / top) * 100).toFixed(2)}`;
      })
      .join(' ');
  const sum = (kind: 'opened' | 'clicked') => number(buckets.reduce((total, bucket) => total + bucket[kind], 0));
  const [first, last] = [buckets[0]!.at, buckets.at(-1)!.at];
  const middle = new Date((first.getTime() + last.getTime()) / 2);
  const totals = `${sum('opened')} people opened and ${sum('clicked')} clicked`;
  const when = first === last ? `from ${moment(first)} on` : `between ${moment(first)} and ${moment(last)}`;
  const text = `${totals} for the first time ${when}`;
  const scale = [top, top / 2, 0].map((value) => `<span>${number(value)}</span>`).join('');
  const lines = [
    '<path d="M0,0H100M0,50H100M50,0V100"/>',
    `<polygon points="0,100 ${points('opened')} 100,100"/>`,
    `<polyline class="opened" points="${points('opened')}"/>`,
    `<polyline class="clicked" points="${points('clicked')}"/>`,
  ].join('');
  const moments = (first === last ? [first] : [first, middle, last])
    .map((at) => `<span>${moment(at).replace(', ', '<br>')}</span>`)
    .join('');
  const attributes = `viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(text)}"`;
  const plot = `<div class="scale">${scale}</div><svg ${attributes}>${lines}</svg><div class="ends">${moments}</div>`;
  return `<figure class="timeline">${plot}</figure>`;
}

/** The length of a bucket in words: `hour`, `2 hours`. */
export function lengthOf([first, second]: readonly Bucket[]): string {
  const hours = second ? (second.at.getTime() - first!.at.getTime()) / hourMs : 1;
  return hours === 1 ? 'hour' : `${hours} hours`;
}

/** A time in words: `20 Nov, 10:00 UTC`. */
export function moment(at: Date): string {
  const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return `${new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(at)} UTC`;
}
