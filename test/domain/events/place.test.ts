import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventPosition } from '../../../shared/data/keys.ts';
import {
  indexIn,
  type NativeType,
  nativeId,
  pageOf,
  pageSize,
  placeIn,
  placeOfNative,
} from '../../../shared/domain/events/place.ts';

const place = fc.nat(2 ** 24 + 1_000);
const of = fc.record({
  team: fc.integer({ min: 1, max: 1e6 }),
  campaign: fc.integer({ min: 1, max: 1e6 }),
  native: fc.constantFrom<NativeType>('queued', 'sent', 'delivered'),
});

/** The id as commit 04286c3 gave it out. */
const idBefore = (team: number, campaign: number, native: NativeType, at: number): number =>
  (createHash('sha256').update(`${team}/${campaign}/${native}`).digest().readUIntBE(0, 4) % 2 ** 30) * 2 ** 22 + at;

it('gives sixteen million recipients of a campaign ids of their own, in their order, that lead back to them', () => {
  fc.assert(
    fc.property(of, place, place, ({ team, campaign, native }, a, b) => {
      const [idA, idB] = [nativeId(team, campaign, native, a), nativeId(team, campaign, native, b)];
      expect(Number.isSafeInteger(idA) && idA > 0).toBe(true);
      expect(placeOfNative(team, campaign, native, idA)).toBe(a);
      expect(idA === idB).toBe(a === b);
      const at = '2026-01-01T00:00:00.000+00:00';
      expect(eventPosition(at, idA) < eventPosition(at, idB)).toBe(a < b);
    }),
    { examples: [[{ team: 1, campaign: 1, native: 'sent' }, 2 ** 22 - 1, 2 ** 22]] },
  );
});

it('gives every event the id that it had before', () => {
  fc.assert(
    fc.property(of, place, ({ team, campaign, native }, at) => {
      expect(nativeId(team, campaign, native, at)).toBe(idBefore(team, campaign, native, at));
    }),
  );
});

it('gives the events of a recipient of a large campaign different ids', () => {
  for (let campaign = 1; campaign <= 1_000; campaign++) {
    const [low, middle, high] = (['queued', 'sent', 'delivered'] as const)
      .map((native) => nativeId(1, campaign, native, 0))
      .sort((a, b) => a - b);
    expect(Math.min(middle! - low!, high! - middle!)).toBeGreaterThan(2 ** 24);
  }
});

it('finds a place from its page and index', () => {
  fc.assert(
    fc.property(place, (at) => {
      expect(placeIn(pageOf(at), indexIn(at))).toBe(at);
      expect(indexIn(at)).toBeLessThan(pageSize);
    }),
  );
});
