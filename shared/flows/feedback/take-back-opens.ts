import * as contacts from '../../data/contacts/contacts.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as events from '../../data/events/of-address.ts';
import * as rows from '../../data/events/rows.ts';
import { concurrently } from '../../domain/concurrently.ts';
import type { IncomingEvent } from '../../domain/events/delivery-event.ts';
import { machineOpenWindowMs, openedTooSoon, tooSoonReason } from '../../domain/events/machine-engagement.ts';
import { timestamp } from '../../domain/time.ts';
import { deliveryBefore, packedDeliveries } from './delivery-before.ts';

const concurrency = 24;

/** The opens of one message that came too soon, oldest first, and the event that showed it. */
interface TooSoon {
  event: IncomingEvent;
  opens: rows.EventItem[];
}

/** Finds the opens that came too soon after deliveries, or among `opened` (by id), and marks them as machines'. */
export async function opensTooSoon(
  teamId: number,
  deliveries: readonly IncomingEvent[],
  opened: ReadonlyMap<number, IncomingEvent>,
): Promise<TooSoon[]> {
  const refs = [...opened].map(([id, event]) => ({ ...event, id, created_at: event.occurred_at }));
  const [written, packed] = await Promise.all([
    rows.batch(teamId, refs),
    packedDeliveries(teamId, [...opened.values()]),
  ]);
  const found = await Promise.all([
    concurrently(deliveries, concurrency, async (event) => ({ event, opens: await judgeAfter(teamId, event) })),
    concurrently(written, concurrency, async (row) => {
      const event = row && opened.get(row.id);
      if (!event) return [];
      // Another worker marked it while it was counted here.
      if (row.is_machine_open) return [{ event, opens: [row] }];
      const occurred_at = await deliveryBefore(teamId, row, packed.get(event));
      return occurred_at === undefined ? [] : [{ event, opens: await judgeAfter(teamId, { ...event, occurred_at }) }];
    }),
  ]);
  return found.flat(2).filter(({ opens }) => opens.length > 0);
}

/** Marks the opens that came too soon after a delivery, and returns them. */
async function judgeAfter(
  teamId: number,
  { email, campaign_id, occurred_at }: IncomingEvent,
): Promise<rows.EventItem[]> {
  const until = timestamp(Date.parse(occurred_at) + machineOpenWindowMs);
  const caught = (await events.opens(teamId, email, occurred_at, until)).filter(
    (open) =>
      open.campaign_id === campaign_id &&
      openedTooSoon(open.created_at, occurred_at) &&
      // Another worker may have marked it and still be counting it.
      (!open.is_machine_open || open.machine_reason === tooSoonReason),
  );
  for (const open of caught) if (!open.is_machine_open) await rows.judge(teamId, open, tooSoonReason);
  return caught.map((open) => ({ ...open, is_machine_open: true, machine_reason: tooSoonReason }));
}

/** Undoes opens of a recipient, oldest first; idempotent. Returns the change of the opened count. */
export async function uncountOpens(
  teamId: number,
  opens: readonly rows.EventItem[],
  contact: contacts.ContactItem | undefined,
  variant: number | undefined,
): Promise<number | 'doubtful'> {
  const { email, campaign_id, created_at: from } = opens[0]!;
  const isOther = (open: rows.EventItem) => !open.is_machine_open && !opens.some(({ id }) => id === open.id);
  if (contact) {
    const before = await events.openedAt(teamId, email, { before: from }, isOther);
    const span = { from, to: opens.at(-1)!.created_at };
    // What a search that was cut off did not find may still be there: the time stays as it is.
    if (before !== null) await contacts.restoreEngagement(teamId, email, 'last_opened_at', span, before);
  }
  if (campaign_id === null) return 0;
  const ofCampaign = (open: rows.EventItem) => open.campaign_id === campaign_id && isOther(open);
  const recipient = { email, contact_id: contact?.id ?? null, variant };
  let since: string | undefined;
  for (let total = 0; ; ) {
    // Another worker notes an earlier open itself; one that it stores between our read and our write is found next.
    const noted = (await engagement.find(teamId, campaign_id, email))?.opened_at;
    if (noted && !(since && since < noted)) since = noted;
    const first = since && (await events.openedAt(teamId, email, { from: since }, ofCampaign));
    if (first === noted || first === null) return total;
    const change = await engagement.replace(teamId, campaign_id, recipient, 'opened_at', noted, first);
    if (change === 'doubtful') return change;
    total += change;
  }
}
