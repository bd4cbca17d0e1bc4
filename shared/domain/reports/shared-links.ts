/** The clicks on a link. */
interface Clicked {
  url: string;
  clicks: number;
  /** People who clicked. */
  unique: number;
}

/** A place that links lead to, with the clicks on them; whoever clicked two of them counts twice. */
export interface ClickedPlace {
  place: string;
  clicks: number;
  unique: number;
}

/**
 * Where links lead, most clicked first, as somebody without a key may see it: host and path, since a merge tag may have
 * put a recipient into the query; and no place with an address in it.
 */
export function clickedPlaces(links: readonly Clicked[]): ClickedPlace[] {
  const places = new Map<string, ClickedPlace>();
  for (const { url, clicks, unique } of links) {
    const [place = ''] = url.replace(/^https:\/\//, '').split(/[?#]/, 1);
    if (clicks === 0 || /@|%40/.test(place)) continue;
    const sum = places.get(place) ?? { place, clicks: 0, unique: 0 };
    places.set(place, { place, clicks: sum.clicks + clicks, unique: sum.unique + unique });
  }
  return [...places.values()].sort((a, b) => b.clicks - a.clicks);
}
