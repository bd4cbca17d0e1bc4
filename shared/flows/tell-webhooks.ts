import { type NoticesMessage, queueWebhooks } from '../aws/queue.ts';
import * as contacts from '../data/contacts.ts';
import * as signups from '../data/waitlist-signups.ts';
import * as waitlists from '../data/waitlists.ts';
import type { WebhookItem } from '../data/webhooks.ts';
import * as webhooks from '../data/webhooks.ts';
import type { ContactNotice, Notice } from '../domain/notice.ts';
import { timestamp } from '../domain/time.ts';
import { covers, type WebhookEvent, webhookEventId } from '../domain/webhook-event.ts';
import { concurrently } from './concurrently.ts';

const lanes = 8;

/** Queues events for the endpoints that want them: one message for each event and endpoint. */
export async function queueEvents(
  teamId: number,
  endpoints: readonly WebhookItem[],
  events: readonly WebhookEvent[],
): Promise<void> {
  const messages = events.flatMap((event) => {
    const body = JSON.stringify(event);
    const wanting = endpoints.filter((endpoint) => covers(endpoint.events, event.type));
    return wanting.map(({ id }) => ({ team_id: teamId, webhook_id: id, event_id: event.id, type: event.type, body }));
  });
  if (messages.length > 0) await queueWebhooks(messages);
}

/** Tells the team's webhooks of notices; one of a record that is gone meanwhile is not told, but for its deletion. */
export async function tellWebhooks({ team_id: teamId, notices, at }: NoticesMessage): Promise<void> {
  const endpoints = await webhooks.active(teamId);
  const wanted = notices.filter(({ type }) => endpoints.some(({ events }) => covers(events, type)));
  const events = await concurrently(wanted, lanes, async (notice): Promise<WebhookEvent[]> => {
    const data = await dataOf(teamId, notice);
    const id = webhookEventId(teamId, notice.type, notice.id);
    return data ? [{ id, type: notice.type, created_at: at, data }] : [];
  });
  await queueEvents(teamId, endpoints, events.flat());
}

/** The record that a notice names, as the API shows it now. */
function dataOf(teamId: number, notice: Notice): Promise<object | undefined> {
  switch (notice.type) {
    case 'waitlist.signup':
    case 'waitlist.invited':
      return signupData(teamId, notice.waitlist_id, notice.signup_id);
    default:
      return contactData(teamId, notice);
  }
}

async function contactData(teamId: number, { type, contact_id, email }: ContactNotice): Promise<object | undefined> {
  if (type === 'contact.deleted') return { id: contact_id, email };
  const contact = await contacts.findStored(teamId, email);
  return contact?.id === contact_id ? contacts.view(contact) : undefined;
}

async function signupData(teamId: number, waitlistId: number, id: number): Promise<object | undefined> {
  const [waitlist, signup] = await Promise.all([
    waitlists.find(teamId, waitlistId),
    signups.find(teamId, waitlistId, id),
  ]);
  if (!waitlist || !signup) return undefined;
  const [placed] = await signups.place(teamId, waitlistId, waitlist.version, [signup]);
  return { waitlist_id: waitlistId, ...signups.view(placed!) };
}

/** Queues a synthetic event for one endpoint; the same operation sends the same event. */
export async function sendTestEvent(
  teamId: number,
  { id }: WebhookItem,
  operation: { id: string; startedAt: Date },
): Promise<void> {
  const type = 'webhook.test';
  const event_id = webhookEventId(teamId, type, id, operation.id);
  const data = { webhook_id: id, message: 'This is a test: nothing happened.' };
  const event: WebhookEvent = { id: event_id, type, created_at: timestamp(operation.startedAt), data };
  await queueWebhooks([{ team_id: teamId, webhook_id: id, event_id, type, body: JSON.stringify(event) }]);
}
