/** A click as a link report counts it. */
interface LinkClick {
  who: string;
  /** The link's hash. */
  link: string;
  /** Why it is a machine's click; absent for a person's. */
  machine?: string;
}

/** Clicks of one link: by people, the number of people, and by machines. */
export type LinkCounts = Record<'clicks' | 'unique' | 'bots', number>;

/** Counts clicks by link. */
export async function countLinks(clicks: AsyncIterable<LinkClick>): Promise<Map<string, LinkCounts>> {
  const links = new Map<string, LinkCounts & { people: Set<string> }>();
  for await (const { who, link, machine } of clicks) {
    const counts = links.get(link) ?? { clicks: 0, unique: 0, bots: 0, people: new Set() };
    links.set(link, counts);
    if (machine) {
      counts.bots++;
      continue;
    }
    counts.clicks++;
    counts.people.add(who);
    counts.unique = counts.people.size;
  }
  return new Map([...links].map(([link, { clicks, unique, bots }]) => [link, { clicks, unique, bots }]));
}
