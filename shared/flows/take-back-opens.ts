import type { ContactItem } from '../data/contacts.ts';
import * as contacts from '../data/contacts.ts';
import * as engagement from '../data/engagement.ts';
import * as rows from '../data/event-rows.ts';
import * as events from '../data/events.ts';
import type { IncomingEvent } from '../domain/delivery-event.ts';
import { openedTooSoon, tooSoonReason } from '../domain/machine-engagement.ts';

/**
 * Judges opens that were reported before the delivery that they came too soon after: machines made them, whatever was known first. Returns what the
 * count of people who opened changes by.
 */
export async function takeBackOpens(
  teamId: number,
  { email, campaign_id, occurred_at }: IncomingEvent,
  contact: ContactItem | undefined,
  variant: number | undefined,
): Promise<number | 'doubtful'> {
  const opens = await events.humanOpens(teamId, email);
  const caught = opens.filter(
    (open) => open.campaign_id === campaign_id && openedTooSoon(open.created_at, occurred_at),
  );
  if (caught.length === 0) return 0;
  for (const open of caught) await rows.judge(teamId, open, tooSoonReason);
  const human = opens.filter((open) => !caught.includes(open));
  const span = { from: caught[0]!.created_at, to: caught.at(-1)!.created_at };
  const before = human.findLast((open) => open.created_at < span.from)?.created_at;
  if (contact) await contacts.restoreEngagement(teamId, email, 'last_opened_at', span, before);
  if (campaign_id === null) return 0;
  const first = human.find((open) => open.campaign_id === campaign_id)?.created_at;
  const recipient = { email, contact_id: contact?.id ?? null, variant };
  return engagement.setFirst(teamId, campaign_id, recipient, 'opened_at', first);
}
