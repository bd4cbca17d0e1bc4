import type { ContactItem } from '../data/contacts.ts';
import { keys } from '../data/keys.ts';
import * as table from '../data/table.ts';
import { type IncomingEvent, isSoftBounce, softBounceLimit } from '../domain/delivery-event.ts';
import { suppress } from './suppress.ts';

/** Lets an event act on its contact and on the do-not-mail list; doing it twice changes nothing more. */
export async function applyToContact(
  teamId: number,
  event: IncomingEvent,
  id: number,
  contact: ContactItem | undefined,
  human: boolean,
): Promise<void> {
  const { email, confirmed, campaign_id } = event;
  const cause = { email, confirmed, source: event.provider ?? event.source ?? 'api', campaign_id };
  switch (event.event) {
    case 'opened':
      if (human && contact) await remember(teamId, event.email, 'last_opened_at', event.occurred_at);
      return;
    case 'clicked':
      if (human && contact) await remember(teamId, event.email, 'last_clicked_at', event.occurred_at);
      return;
    case 'delivered':
      if (contact && contact.soft_bounce_count > 0) await resetSoftBounces(teamId, event.email);
      return;
    case 'bounced':
      if (!isSoftBounce(event)) await suppress(teamId, { ...cause, reason: 'hard_bounce' });
      else if (contact && (await countSoftBounce(teamId, event.email, id)) >= softBounceLimit)
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

async function remember(
  teamId: number,
  email: string,
  attribute: 'last_opened_at' | 'last_clicked_at',
  at: string,
): Promise<void> {
  await table.updateIf({
    Key: keys.contact(teamId, email),
    UpdateExpression: 'SET #attribute = :at',
    ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(#attribute) OR #attribute < :at)',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':at': at },
    ReturnValues: 'NONE',
  });
}

async function resetSoftBounces(teamId: number, email: string): Promise<void> {
  await table.updateIf({
    Key: keys.contact(teamId, email),
    UpdateExpression: 'SET soft_bounce_count = :none REMOVE soft_bounce_event',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':none': 0 },
    ReturnValues: 'NONE',
  });
}

/** Counts a soft bounce once per event; returns how many there are in a row. */
async function countSoftBounce(teamId: number, email: string, id: number): Promise<number> {
  const counted = await table.updateIf<ContactItem>({
    Key: keys.contact(teamId, email),
    UpdateExpression: 'ADD soft_bounce_count :one SET soft_bounce_event = :id',
    ConditionExpression:
      'attribute_exists(pk) AND (attribute_not_exists(soft_bounce_event) OR soft_bounce_event <> :id)',
    ExpressionAttributeValues: { ':one': 1, ':id': String(id) },
  });
  const contact = counted ?? (await table.get<ContactItem>(keys.contact(teamId, email)));
  return contact?.soft_bounce_count ?? 0;
}
