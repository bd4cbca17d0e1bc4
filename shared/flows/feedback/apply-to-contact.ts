import * as contacts from '../../data/contacts/contacts.ts';
import { type IncomingEvent, isSoftBounce, softBounceLimit } from '../../domain/events/delivery-event.ts';
import { suppress } from '../contacts/suppress.ts';

/** Applies an event to its contact and to the suppressions; idempotent. */
export async function applyToContact(
  teamId: number,
  event: IncomingEvent,
  id: number,
  contact: contacts.ContactItem | undefined,
  human: boolean,
): Promise<void> {
  const { email, confirmed, campaign_id } = event;
  const cause = { email, confirmed, source: event.provider ?? event.source ?? 'api', campaign_id };
  switch (event.event) {
    case 'opened':
      if (human && contact) await contacts.noteEngagement(teamId, event.email, 'last_opened_at', event.occurred_at);
      return;
    case 'clicked':
      if (human && contact) await contacts.noteEngagement(teamId, event.email, 'last_clicked_at', event.occurred_at);
      return;
    case 'delivered':
      if (contact) await contacts.resetSoftBounces(teamId, event.email);
      return;
    case 'bounced':
      if (!isSoftBounce(event)) await suppress(teamId, { ...cause, reason: 'hard_bounce' });
      else if (contact && (await softBounces(teamId, event, id)) >= softBounceLimit)
        await suppress(teamId, { ...cause, reason: 'soft_bounce' });
      return;
    case 'spam_report':
      await suppress(teamId, { ...cause, reason: 'spam_report' });
      return;
    case 'unsubscribed':
      await suppress(teamId, { ...cause, reason: 'unsubscribe' });
      return;
    default:
  }
}

const softBounces = (teamId: number, { email, campaign_id, occurred_at: created_at }: IncomingEvent, id: number) =>
  contacts.countSoftBounce(teamId, email, { campaign_id, created_at, id });
