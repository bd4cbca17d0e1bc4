import { type DomainEventsMessage, queueDomainEvents } from '../aws/queue.ts';
import * as campaigns from '../data/campaigns/campaigns.ts';
import * as recipients from '../data/campaigns/recipients.ts';
import { campaignView } from '../data/campaigns/view.ts';
import * as contacts from '../data/contacts/contacts.ts';
import { eventOf } from '../data/feedback/native-events.ts';
import * as steps from '../data/sequences/steps.ts';
import * as subscribers from '../data/sequences/subscribers.ts';
import * as signups from '../data/waitlists/signups.ts';
import * as waitlists from '../data/waitlists/waitlists.ts';
import type { WebhookItem } from '../data/webhooks/endpoints.ts';
import * as webhooks from '../data/webhooks/endpoints.ts';
import { concurrently } from '../domain/concurrently.ts';
import type { ContactEvent, DomainEvent, MessagesEvent, SequenceEvent } from '../domain/domain-event.ts';
import { covers, type WebhookEvent, webhookEventId } from '../domain/webhooks/webhook-event.ts';
import { publishEmailEvents } from './feedback/publish-events.ts';
import { queueEvents } from './webhooks/queue-events.ts';

const lanes = 8;

/** Tells the team's webhooks of notices; one of a record that is gone meanwhile is not told, but for its deletion. What takes too long is queued again. */
export async function publishWebhookEvents(message: DomainEventsMessage, deadline: number): Promise<void> {
  const { team_id: teamId, notices, at } = message;
  const endpoints = await webhooks.active(teamId);
  const wanted = notices.filter(({ type }) => endpoints.some((endpoint) => covers(endpoint.events, type)));
  const told = await concurrently(wanted, lanes, async (notice): Promise<WebhookEvent[]> => {
    if (ofMessages(notice)) return [];
    const data = await dataOf(teamId, notice);
    const id = webhookEventId(teamId, notice.type, notice.id);
    return data ? [{ id, type: notice.type, created_at: at, data }] : [];
  });
  await queueEvents(teamId, endpoints, told.flat());
  for (const notice of wanted) {
    const left = ofMessages(notice) && (await publishMessages(teamId, endpoints, notice, deadline));
    if (left) await queueDomainEvents([{ team_id: teamId, notices: [left], at }]);
  }
}

const ofMessages = (notice: DomainEvent): notice is MessagesEvent =>
  notice.type === 'email.queued' || notice.type === 'email.sent';

const pagesPerStep = 10;

/** Tells of each message that a notice stands for; gives the notice of those that are left when the time is up. */
async function publishMessages(
  teamId: number,
  endpoints: readonly WebhookItem[],
  notice: MessagesEvent,
  deadline: number,
): Promise<MessagesEvent | undefined> {
  const { type, campaign_id, sent_at, leaf: from, places } = notice;
  const native = type === 'email.queued' ? 'queued' : 'sent';
  const row = { campaign_id, native, created_at: sent_at } as const;
  const eventsOf = (page: recipients.RecipientPage, indexes: Iterable<number>) =>
    [...indexes].flatMap((index) => (page.recipients[index]?.email ? [eventOf(teamId, row, page, index)] : []));
  if (type === 'email.sent') {
    const page = await recipients.page(teamId, campaign_id, from!);
    if (page) await publishEmailEvents(teamId, endpoints, eventsOf(page, places!));
    return undefined;
  }
  for (let after = from; ; ) {
    const pages = await recipients.pages(teamId, campaign_id, { from: after, count: pagesPerStep });
    const told = pages.flatMap((page) => eventsOf(page, page.recipients.keys()));
    await publishEmailEvents(teamId, endpoints, told);
    if (pages.length < pagesPerStep) return undefined;
    after = pages.at(-1)!.sk;
    if (Date.now() > deadline) return { ...notice, leaf: after };
  }
}

/** The record that a notice names, as the API shows it now. */
async function dataOf(teamId: number, notice: Exclude<DomainEvent, MessagesEvent>): Promise<object | undefined> {
  if ('waitlist_id' in notice) return signupData(teamId, notice.waitlist_id, notice.signup_id);
  if ('sequence_id' in notice) return subscriberData(teamId, notice);
  if ('contact_id' in notice) return contactData(teamId, notice);
  const campaign = await campaigns.find(teamId, notice.campaign_id);
  return campaign && campaignView(teamId, campaign);
}

async function contactData(teamId: number, { type, contact_id, email }: ContactEvent): Promise<object | undefined> {
  if (type === 'contact.deleted') return { id: contact_id, email };
  const contact = await contacts.findStored(teamId, email);
  return contact?.id === contact_id ? contacts.view(contact) : undefined;
}

async function subscriberData(
  teamId: number,
  { sequence_id, contact_id, email }: SequenceEvent,
): Promise<object | undefined> {
  const [row, { steps: list }] = await Promise.all([
    subscribers.find(teamId, sequence_id, email),
    steps.find(teamId, sequence_id),
  ]);
  return row?.contact_id === contact_id ? { sequence_id, ...subscribers.view(row, list) } : undefined;
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
