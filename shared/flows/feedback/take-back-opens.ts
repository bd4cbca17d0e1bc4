import * as contacts from '../../data/contacts/contacts.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as events from '../../data/events/of-address.ts';
import * as rows from '../../data/events/rows.ts';
import { concurrently } from '../../domain/concurrently.ts';
import type { IncomingEvent } from '../../domain/events/delivery-event.ts';
import { machineOpenWindowMs, openedTooSoon, tooSoonReason } from '../../domain/events/machine-engagement.ts';
import { timestamp } from '../../domain/time.ts';
import { deliveryBefore } from './delivery-before.ts';

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
  const written = await rows.batch(teamId, refs);
  const found = await Promise.all([
    concurrently(deliveries, concurrency, async (event) => ({ event, opens: await judgeAfter(teamId, event) })),
    concurrently(written, concurrency, async (row) => {
      const event = row && opened.get(row.id);
      if (!event) return [];
      // Another worker marked it while it was counted here.
      if (row.is_machine_open) return [{ event, opens: [row] }];
      const occurred_at = await deliveryBefore(teamId, event);
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
  const others = async () =>
    (await events.opens(teamId, email, ' ', '~')).filter(
      (open) => !open.is_machine_open && !opens.some(({ id }) => id === open.id),
    );
  const span = { from, to: opens.at(-1)!.created_at };
  const before = (await others()).findLast((open) => open.created_at < from)?.created_at;
  if (contact) await contacts.restoreEngagement(teamId, email, 'last_opened_at', span, before);
  if (campaign_id === null) return 0;
  const recipient = { email, contact_id: contact?.id ?? null, variant };
  for (let total = 0; ; ) {
    const first = (await others()).find((open) => open.campaign_id === campaign_id)?.created_at;
    const { change, written } = await engagement.setFirst(teamId, campaign_id, recipient, 'opened_at', first);
    if (change === 'doubtful') return change;
    total += change;
    // Another worker may have stored an open between our read and our write.
    if (!written) return total;
  }
}
