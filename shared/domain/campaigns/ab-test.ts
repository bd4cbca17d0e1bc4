import { createHash } from 'node:crypto';
import { pageSize } from '../events/place.ts';
import type { WinnerMetric } from './options.ts';

/** One way to present a campaign. */
export interface Variant {
  /** From 1 on, in the order given. */
  id: number;
  label: string;
  subject: string;
  /** null: the campaign's own. */
  from_name: string | null;
}

/** How many variants a test has. */
export const minVariants = 2;
export const maxVariants = 5;

/** How an A/B test splits an audience. */
export interface Split {
  /** The same seed draws the same recipients again. */
  seed: string;
  /** Share of the audience in the test, 1 to 100. */
  percentage: number;
  variants: number;
}

const outside = '-';

/** The letter that stands for a variant on a recipient page. */
const letterOf = (variant: number): string => String.fromCharCode(96 + variant);

/** The variant of a letter; undefined for a recipient outside the test. */
export const variantOf = (letter: string | undefined): number | undefined =>
  letter === undefined || letter === outside ? undefined : letter.charCodeAt(0) - 96;

/** Recipients in the test among the first ones: the percentage, rounded up, but one per variant if possible. */
export const sliceSize = (recipients: number, { percentage, variants }: Split): number =>
  Math.max(Math.ceil((recipients * percentage) / 100), Math.min(recipients, variants));

/**
 * Assigns variants to recipients who are written together, a letter each. Those before them decide how many are in the
 * test, so that the total is exact however the audience is cut. The seed draws whole pages, and places of the last one:
 * a page that is sent in both phases costs twice. Variants alternate over all of them.
 */
export function assignVariants(split: Split, before: number, count: number): string {
  const first = sliceSize(before, split);
  const wanted = sliceSize(before + count, split) - first;
  const drawn: number[] = [];
  for (const page of shuffled(Math.ceil(count / pageSize), `${split.seed}/${before}/pages`)) {
    if (drawn.length >= wanted) break;
    const start = page * pageSize;
    const places = shuffled(Math.min(pageSize, count - start), `${split.seed}/${before + start}`);
    drawn.push(...places.slice(0, wanted - drawn.length).map((place) => start + place));
  }
  const letters = Array<string>(count).fill(outside);
  for (const [turn, index] of drawn.entries()) letters[index] = letterOf(((first + turn) % split.variants) + 1);
  return letters.join('');
}

/** The numbers below `count` in an order drawn from a seed. */
function shuffled(count: number, seed: string): number[] {
  const drawn = Array.from({ length: count }, (_, index) => ({
    index,
    at: createHash('sha256').update(`${seed}/${index}`).digest().readUIntBE(0, 6),
  }));
  return drawn.sort((a, b) => a.at - b.at).map(({ index }) => index);
}

/** A variant's accepted messages, and the people who opened or clicked. */
export type VariantCounts = Record<'sent' | 'opened' | 'clicked', number>;

/** The variant with the highest share of people who opened or clicked; the first of equal ones. */
export function winnerOf(results: readonly (VariantCounts & { id: number })[], metric: WinnerMetric): number {
  const share = ({ sent, opened, clicked }: VariantCounts) =>
    sent === 0 ? 0 : (metric === 'opens' ? opened : clicked) / sent;
  return results.reduce((best, result) => (share(result) > share(best) ? result : best)).id;
}
