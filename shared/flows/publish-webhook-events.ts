import { type DomainEventsMessage, queueDomainEvents } from '../aws/queue.ts';
import * as campaigns from '../data/campaigns/campaigns.ts';
import { pageByNumber } from '../data/campaigns/page-results.ts';
import * as recipients from '../data/campaigns/recipients.ts';
import { campaignView } from '../data/campaigns/view.ts';
import * as contacts from '../data/contacts/contacts.ts';
import { eventOf } from '../data/feedback/native-events.ts';
import * as steps from '../data/sequences/steps.ts';
import * as subscribers from '../data/sequences/subscribers.ts';
import * as apiKeys from '../data/teams/api-keys.ts';
import * as signups from '../data/waitlists/signups.ts';
import * as waitlists from '../data/waitlists/waitlists.ts';
import * as webhooks from '../data/webhooks/endpoints.ts';
import { concurrently } from '../domain/concurrently.ts';
import type { ContactEvent, DomainEvent, MessagesEvent, SequenceEvent, WaitlistEvent } from '../domain/domain-event.ts';
import { covers, type WebhookEvent, webhookEventId } from '../domain/webhooks/webhook-event.ts';
import { emailWebhookEvent } from './feedback/publish-events.ts';
import { queueEvents } from './webhooks/queue-events.ts';

const concurrency = 8;

/** Publishes domain events to webhooks, unless the record is gone; what is left at the deadline is queued again. */
export async function publishWebhookEvents(message: DomainEventsMessage, deadline: number): Promise<void> {
  const { team_id: teamId, notices, at } = message;
  const endpoints = await webhooks.active(teamId);
  let left = notices.filter(({ type }) => endpoints.some((endpoint) => covers(endpoint.events, type)));
  do {
    const read = await concurrently(left, concurrency, (event) => readEvents(teamId, event, at));
    const events = read.flatMap((some) => some.events);
    await queueEvents(teamId, endpoints, events);
    left = read.flatMap(({ rest }) => rest ?? []);
  } while (left.length > 0 && Date.now() <= deadline);
  if (left.length > 0) await queueDomainEvents([{ team_id: teamId, notices: left, at }]);
}

/** Some of the webhook events of a domain event, and a domain event for the rest of them. */
interface EventsRead {
  events: WebhookEvent[];
  rest?: DomainEvent;
}

type KindOf<Type> = Type extends `${infer Kind}.${string}` ? Kind : never;
type Kind = KindOf<DomainEvent['type']>;
type EventOf<K extends Kind> = Extract<DomainEvent, { type: `${K}.${string}` }>;
type Reader<Event> = (teamId: number, event: Event, at: string) => Promise<EventsRead>;

/** How the webhook events of a domain event are read, by the kind that its type begins with. */
const readers: { [K in Kind]: Reader<EventOf<K>> } = {
  contact: record(contactData),
  campaign: record(async (teamId, { campaign_id }) => {
    const campaign = await campaigns.find(teamId, campaign_id);
    return campaign && campaignView(teamId, campaign);
  }),
  email: readMessages,
  sequence: record(subscriberData),
  api_key: record(async (teamId, { key_id }) => {
    const key = await apiKeys.find(teamId, key_id);
    return key && apiKeys.view(key);
  }),
  waitlist: record(signupData),
};

function readEvents(teamId: number, event: DomainEvent, at: string): Promise<EventsRead> {
  const [kind] = event.type.split('.') as [Kind];
  return (readers[kind] as Reader<DomainEvent>)(teamId, event, at);
}

/** Reads one event with the record that it names, as the API shows it now; none when the record is gone. */
function record<Event extends Exclude<DomainEvent, MessagesEvent>>(
  find: (teamId: number, event: Event) => Promise<object | undefined>,
): Reader<Event> {
  return async (teamId, event, at) => {
    const data = await find(teamId, event);
    const { id, type } = event;
    return { events: data ? [{ id: webhookEventId(teamId, type, id), type, created_at: at, data }] : [] };
  };
}

async function contactData(teamId: number, { type, contact_id, email }: ContactEvent): Promise<object | undefined> {
  if (type === 'contact.deleted') return { id: contact_id, email };
  const contact = await contacts.findStored(teamId, email);
  return contact?.id === contact_id ? contacts.view(contact) : undefined;
}

async function subscriberData(teamId: number, event: SequenceEvent): Promise<object | undefined> {
  const { sequence_id, contact_id, email } = event;
  const [row, { steps: list }] = await Promise.all([
    subscribers.find(teamId, sequence_id, email),
    steps.find(teamId, sequence_id),
  ]);
  return row?.contact_id === contact_id ? { sequence_id, ...subscribers.view(row, list) } : undefined;
}

async function signupData(teamId: number, { waitlist_id, signup_id }: WaitlistEvent): Promise<object | undefined> {
  const [waitlist, signup] = await Promise.all([
    waitlists.find(teamId, waitlist_id),
    signups.find(teamId, waitlist_id, signup_id),
  ]);
  if (!waitlist || !signup) return undefined;
  const [placed] = await signups.place(teamId, waitlist_id, waitlist.version, [signup]);
  return { waitlist_id, ...signups.view(placed!) };
}

const pagesPerStep = 10;

/** Reads the events of the messages that were sent from one page, or of those that were queued on the next pages. */
async function readMessages(teamId: number, event: MessagesEvent): Promise<EventsRead> {
  const { type, campaign_id, sent_at, leaf: position, page: number, places } = event;
  const [, native] = type.split('.') as [string, 'queued' | 'sent'];
  const row = { campaign_id, native, created_at: sent_at };
  const eventsOf = (page: recipients.RecipientPage, indexes: Iterable<number>): WebhookEvent[] =>
    [...indexes].flatMap((index) =>
      page.recipients[index]?.email ? [emailWebhookEvent(teamId, eventOf(teamId, row, page, index))] : [],
    );
  if (type === 'email.sent') {
    const page =
      (await recipients.page(teamId, campaign_id, position!)) ??
      (number !== undefined ? await pageByNumber(teamId, campaign_id, number) : undefined);
    return { events: page ? eventsOf(page, places!) : [] };
  }
  const pages = await recipients.pages(teamId, campaign_id, { from: position, count: pagesPerStep });
  return {
    events: pages.flatMap((page) => eventsOf(page, page.recipients.keys())),
    rest: pages.length === pagesPerStep ? { ...event, leaf: pages.at(-1)!.sk } : undefined,
  };
}
