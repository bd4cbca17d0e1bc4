/** A delivery event of `GET /events`. */
export interface ListedEvent {
  id: number;
  email: string;
  event: string;
  is_machine_open: boolean;
  metadata: { url?: string; user_agent?: string; bot?: boolean };
  created_at: string;
}

/** A user agent that names a machine. */
export const scannerAgent = 'Barracuda Sentinel (EE)';

type Row = Record<string, unknown>;

/** The expected reports of a campaign, computed from its events, recipients and variants alone. */
export function foldEvents(
  events: readonly ListedEvent[],
  recipients: readonly string[],
  variants: { ids: readonly number[]; of: ReadonlyMap<string, number> },
) {
  const of = (event: string) => events.filter((one) => one.event === event);
  const firsts = (some: readonly ListedEvent[]) => {
    const found = new Map<string, string>();
    for (const { email, created_at } of some) if (!(found.get(email)! <= created_at)) found.set(email, created_at);
    return found;
  };
  const clicks = of('clicked');
  const machines = new Set(clicks.filter((click) => byMachine(click, clicks)));
  const opened = firsts(of('opened').filter(({ is_machine_open }) => !is_machine_open));
  const clicked = firsts(clicks.filter((click) => !machines.has(click)));
  const [bounced, complained] = [firsts(of('bounced')), firsts(of('spam_report'))];
  const [sent, delivered] = [of('sent').length, of('delivered').length];
  const rate = (part: number, whole: number) => (whole === 0 ? 0 : Number(((part / whole) * 100).toFixed(2)));
  const count = { opened: opened.size, clicked: clicked.size, bounced: bounced.size, complained: complained.size };
  const unsubscribed = firsts(of('unsubscribed')).size;
  const rows: Row[] = [...recipients].sort().map((email) => ({
    email,
    status: complained.has(email) ? 'complained' : bounced.has(email) ? 'bounced' : 'sent',
    opened_at: opened.get(email) ?? null,
    clicked_at: clicked.get(email) ?? null,
  }));
  const inVariant = (people: ReadonlyMap<string, string>, id: number) =>
    [...people.keys()].filter((email) => variants.of.get(email) === id).length;
  return {
    metrics: {
      recipients: recipients.length,
      sent,
      delivered,
      ...count,
      unsubscribed,
      delivery_rate: rate(delivered, sent),
      open_rate: rate(count.opened, delivered),
      click_rate: rate(count.clicked, delivered),
      ctor: rate(count.clicked, count.opened),
      bounce_rate: rate(count.bounced, sent),
      unsubscribe_rate: rate(unsubscribed, delivered),
      complaint_rate: rate(count.complained, delivered),
    },
    links: [...Map.groupBy(clicks, ({ metadata }) => metadata.url)].map(([url, own]) => {
      const human = own.filter((click) => !machines.has(click));
      const unique = new Set(human.map(({ email }) => email)).size;
      return { url, clicks: human.length, unique, bots: own.length - human.length };
    }),
    variants: variants.ids.map((id) => {
      const own = recipients.filter((email) => variants.of.get(email) === id).length;
      return { id, sent: own, opened: inVariant(opened, id), clicked: inVariant(clicked, id) };
    }),
    recipients: {
      all: rows,
      opened: rows.filter(({ opened_at }) => opened_at !== null),
      clicked: rows.filter(({ clicked_at }) => clicked_at !== null),
      bounced: rows.filter(({ status }) => status === 'bounced'),
      sent: rows,
      pending: [],
    },
  };
}

/** Whether a click is marked as a machine's, or is one of three links followed within two seconds. */
function byMachine(click: ListedEvent, clicks: readonly ListedEvent[]): boolean {
  if (click.metadata.bot || click.metadata.user_agent === scannerAgent) return true;
  const own = clicks.filter(({ email }) => email === click.email);
  const url = ({ metadata }: ListedEvent) => metadata.url;
  return own.some((second) =>
    own.some((third) => {
      const three = [click, second, third];
      const times = three.map(({ created_at }) => Date.parse(created_at));
      return new Set(three.map(url)).size === 3 && Math.max(...times) - Math.min(...times) <= 2_000;
    }),
  );
}
