/** A click as burst detection needs it. */
interface Click {
  at: string;
  /** The hash of the link as it is in the message, with its merge tags. */
  link: string;
  /** The hash of the URL that was clicked; absent where that is the link. */
  seen?: string;
}

/** A program that checks a message follows this many distinct links within 2 seconds; a reader does not. */
const distinctLinks = 3;
export const burstMs = 2_000;

/** The clicks of a recipient that belong to a burst. */
export function bursts<C extends Click>(clicks: readonly C[]): C[] {
  const found = new Set<C>();
  const ordered = clicks.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  let end = 0;
  for (const [start, { at }] of ordered.entries()) {
    while (end < ordered.length && Date.parse(ordered[end]!.at) - Date.parse(at) <= burstMs) end++;
    const within = ordered.slice(start, end);
    if (new Set(within.map(({ seen, link }) => seen ?? link)).size >= distinctLinks)
      for (const click of within) found.add(click);
  }
  return [...found];
}

/** The first human click, where a part of the clicks is known and one was noted from all. */
export function firstHuman<C extends Click>(
  noted: string | undefined,
  part: readonly C[],
  human: readonly C[],
): string | undefined {
  const first = human[0]?.at;
  const isHuman = human.some(({ at }) => at === noted);
  const isMachine = !isHuman && part.some(({ at }) => at === noted);
  // A noted click that the part lacks is another one's that was found human.
  return noted === undefined || isMachine || (first !== undefined && first < noted) ? first : noted;
}
