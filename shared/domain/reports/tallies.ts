/** Clicks of one link: by people, the number of people, and by machines. */
export type LinkCounts = Record<'clicks' | 'unique' | 'bots', number>;

/** People's first opens and clicks by the hour after a campaign was sent, in time by the day. */
export interface Moments {
  hours: Record<number, Record<'opened' | 'clicked', number>>;
  /** The time of the last of them. */
  latest?: string;
}

/** What a report counts from rows: clicks by link (its hash), and moments. It can go on from where it was stored. */
export interface Tallies extends Moments {
  links: Record<string, LinkCounts>;
  /** How many links these are. */
  kept: number;
  /** Whether links were dropped: a campaign had too many. */
  truncated: boolean;
  /** The last recipient whose clicks were counted, and which of `links` count them as a person. */
  who?: string;
  seen: string[];
}

/** Links that are counted: a campaign with more has a link of its own for each recipient. */
export const maxLinks = 1_000;

/** Nothing counted yet. */
export const noTallies = (): Tallies => ({ links: {}, kept: 0, hours: {}, seen: [], truncated: false });

/** Counts a click; the clicks of one recipient come one after another. `machine` is absent for a person's. */
export function addClick(
  tallies: Tallies,
  { who, link, machine }: Record<'who' | 'link', string> & { machine?: string },
) {
  if (tallies.who !== who) Object.assign(tallies, { who, seen: [] });
  if (!tallies.links[link]) {
    if (tallies.kept === 2 * maxLinks) dropRarest(tallies);
    tallies.kept++;
    tallies.links[link] = { clicks: 0, unique: 0, bots: 0 };
  }
  const counts = tallies.links[link];
  if (machine) counts.bots++;
  else counts.clicks++;
  if (!machine && !tallies.seen.includes(link)) {
    counts.unique++;
    tallies.seen.push(link);
  }
}

/** Keeps the links that were clicked most. */
function dropRarest(tallies: Tallies): void {
  tallies.links = Object.fromEntries(mostClicked(tallies));
  tallies.kept = maxLinks;
  tallies.seen = tallies.seen.filter((link) => tallies.links[link]);
  tallies.truncated = true;
}

/** The links that were clicked most, the first of them most. */
export const mostClicked = ({ links }: Pick<Tallies, 'links'>): [string, LinkCounts][] =>
  Object.entries(links)
    .sort(([, a], [, b]) => b.clicks - a.clicks || b.bots - a.bots)
    .slice(0, maxLinks);

const hourMs = 3_600_000;
const hoursOfDay = 24;
/** From then on moments are counted by the day, which is as exact as a plot of so long a time shows them. */
const hourlyHours = 48 * hoursOfDay;

/** Counts a recipient's first open and click. */
export function addMoments(
  tallies: Moments,
  start: Date,
  { opened_at, clicked_at }: { opened_at?: string; clicked_at?: string },
): void {
  for (const [kind, at] of [['opened', opened_at] as const, ['clicked', clicked_at] as const]) {
    if (at === undefined) continue;
    const since = Math.max(0, Math.floor((Date.parse(at) - start.getTime()) / hourMs));
    const hour = since < hourlyHours ? since : since - (since % hoursOfDay);
    tallies.hours[hour] ??= { opened: 0, clicked: 0 };
    tallies.hours[hour][kind]++;
    if (tallies.latest === undefined || at > tallies.latest) tallies.latest = at;
  }
}
