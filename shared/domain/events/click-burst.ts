/** What a burst is made of. */
interface Click {
  at: string;
  /** Which link. */
  link: string;
}

/** So many distinct links within so short a time are followed by a machine that checks a message, not by its reader. */
const distinctLinks = 3;
const windowMs = 2_000;

/** Those of a recipient's clicks that lie in a burst. */
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
