import type { ContactItem } from '../data/contacts.ts';
import * as contacts from '../data/contacts.ts';
import * as engagement from '../data/engagement.ts';
import * as rows from '../data/event-rows.ts';
import * as events from '../data/events.ts';
import { machineOpenWindowMs, openedTooSoon, tooSoonReason } from '../domain/machine-engagement.ts';
import { timestamp } from '../domain/time.ts';

/** The opens of a message that came too soon after its delivery, oldest first, judged to be machines' where they were taken for a person's. */
export async function opensTooSoon(
  teamId: number,
  email: string,
  campaignId: number | null,
  deliveredAt: string,
): Promise<rows.EventItem[]> {
  const until = timestamp(Date.parse(deliveredAt) + machineOpenWindowMs);
  const caught = (await events.opens(teamId, email, deliveredAt, until)).filter(
    (open) =>
      open.campaign_id === campaignId &&
      openedTooSoon(open.created_at, deliveredAt) &&
      // Another worker may have judged it and be counting it still.
      (!open.is_machine_open || open.machine_reason === tooSoonReason),
  );
  for (const open of caught) if (!open.is_machine_open) await rows.judge(teamId, open, tooSoonReason);
  return caught;
}

/** The same of an open that was just counted as a person's: nothing, or what its delivery shows by now. */
export async function tooSoonAfterAll(
  teamId: number,
  open: rows.EventRef & Pick<rows.EventItem, 'email'>,
): Promise<rows.EventItem[]> {
  const { email, campaign_id, created_at } = open;
  const row = await rows.find(teamId, open);
  if (row?.is_machine_open) return [row];
  const deliveredAt = await events.deliveredJustBefore(teamId, campaign_id, email, created_at, machineOpenWindowMs);
  return deliveredAt === undefined ? [] : opensTooSoon(teamId, email, campaign_id, deliveredAt);
}

/** Makes a campaign and a contact what they were without some opens of a recipient, oldest first; again changes nothing. Returns what the count of people who opened changes by. */
export async function uncountOpens(
  teamId: number,
  opens: readonly rows.EventItem[],
  contact: ContactItem | undefined,
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
    // Another worker may have stored an open between our reading and our writing.
    if (!written) return total;
  }
}
