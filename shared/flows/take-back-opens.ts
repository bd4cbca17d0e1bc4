import type { ContactItem } from '../data/contacts.ts';
import * as contacts from '../data/contacts.ts';
import * as engagement from '../data/engagement.ts';
import * as rows from '../data/event-rows.ts';
import * as events from '../data/events.ts';
import type { IncomingEvent } from '../domain/delivery-event.ts';
import { machineOpenWindowMs, openedTooSoon, tooSoonReason } from '../domain/machine-engagement.ts';
import { timestamp } from '../domain/time.ts';

/**
 * Judges the opens that were reported before the delivery that they came too soon after: machines made them, whatever was known first; again changes
 * nothing. Returns what the count of people who opened changes by.
 */
export async function takeBackOpens(
  teamId: number,
  { email, campaign_id, occurred_at }: IncomingEvent,
  contact: ContactItem | undefined,
  variant: number | undefined,
): Promise<number | 'doubtful'> {
  const until = timestamp(Date.parse(occurred_at) + machineOpenWindowMs);
  const caught = (await events.opens(teamId, email, occurred_at, until)).filter(
    (open) =>
      open.campaign_id === campaign_id &&
      openedTooSoon(open.created_at, occurred_at) &&
      // Those that it judged before may still be counted.
      (!open.is_machine_open || open.machine_reason === tooSoonReason),
  );
  for (const open of caught) if (!open.is_machine_open) await rows.judge(teamId, open, tooSoonReason);
  return uncount(teamId, caught, contact, variant);
}

/** Takes an open back that a delivery has judged while it was being counted. */
export async function takeBackIfJudged(
  teamId: number,
  open: rows.EventRef,
  contact: ContactItem | undefined,
  variant: number | undefined,
): Promise<number | 'doubtful'> {
  const row = await rows.find(teamId, open);
  return row?.is_machine_open ? uncount(teamId, [row], contact, variant) : 0;
}

/** Makes a campaign and a contact what they were without some opens of a recipient, oldest first. */
async function uncount(
  teamId: number,
  opens: readonly rows.EventItem[],
  contact: ContactItem | undefined,
  variant: number | undefined,
): Promise<number | 'doubtful'> {
  const [first, last] = [opens[0], opens.at(-1)];
  if (!first || !last) return 0;
  const { email, campaign_id } = first;
  const human = (await events.opens(teamId, email, ' ', '~')).filter(
    (open) => !open.is_machine_open && !opens.some(({ id }) => id === open.id),
  );
  const firstHuman = human.find((open) => open.campaign_id === campaign_id)?.created_at;
  const recipient = { email, contact_id: contact?.id ?? null, variant };
  const changed =
    campaign_id === null
      ? undefined
      : await engagement.setFirst(teamId, campaign_id, recipient, 'opened_at', firstHuman);
  const span = { from: first.created_at, to: last.created_at };
  const before = human.findLast((open) => open.created_at < span.from)?.created_at;
  // The contact last: until then a delivery that comes again still looks here.
  if (contact) await contacts.restoreEngagement(teamId, email, 'last_opened_at', span, before);
  return changed?.change ?? 0;
}
