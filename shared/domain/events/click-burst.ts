/** A click as burst detection needs it. */
interface Click {
  at: string;
  /** The link's hash. */
  link: string;
}

/** A program that checks a message follows this many distinct links within this time; a reader does not. */
const distinctLinks = 3;
const windowMs = 2_000;

/** The clicks of a recipient that belong to a burst. */
export function bursts<C extends Click>(clicks: readonly C[]): C[] {
  const found = new Set<C>();
  for (const { at } of clicks) {
    const within = clicks.filter((click) => {
      const after = Date.parse(click.at) - Date.parse(at);
      return after >= 0 && after <= windowMs;
    });
    if (new Set(within.map(({ link }) => link)).size >= distinctLinks) for (const click of within) found.add(click);
  }
  return [...found];
}
