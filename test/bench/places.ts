import { nativeId, placeOfNative } from '../../shared/domain/events/place.ts';
import type { Result } from './results.ts';

/** How many recipients a campaign can have before the event ids of two of them are the same. */
export function measurePlaces(): Result[] {
  const kept = (place: number) => {
    const id = nativeId(1, 1, 'sent', place);
    return Number.isSafeInteger(id) && placeOfNative(1, 1, 'sent', id) === place;
  };
  let places = 1;
  while (places < 2 ** 40 && kept(2 * places - 1)) places *= 2;
  const what = 'recipients of one campaign whose events have ids of their own';
  return [{ what, figure: places, unit: 'recipients', atLeast: 10_000_000 }];
}
