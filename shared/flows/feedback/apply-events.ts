import { randomUUID } from 'node:crypto';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import type { ContactItem } from '../../data/contacts/contacts.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as due from '../../data/due-jobs.ts';
import * as engagement from '../../data/events/engagement.ts';
import { deliveredJustBefore } from '../../data/events/of-address.ts';
import * as rows from '../../data/events/rows.ts';
import type { ListedEvent } from '../../data/feedback/event-listing.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { variantOf } from '../../domain/campaigns/ab-test.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import { eventId, type IncomingEvent, isSoftBounce } from '../../domain/events/delivery-event.ts';
import { machineOpenWindowMs, machineReason, tooSoonReason } from '../../domain/events/machine-engagement.ts';
import { timestamp } from '../../domain/time.ts';
import { wantsEmail } from '../../domain/webhooks/webhook-event.ts';
import { applyClick } from './apply-click.ts';
import { applyToContact } from './apply-to-contact.ts';
import { publishEmailEvents } from './publish-events.ts';
import { opensTooSoon, uncountOpens } from './take-back-opens.ts';

const recountAfterMs = 15 * 60_000;
const lanes = 24;

type Delta = Partial<engagement.FeedbackCounts>;

/** A campaign's share of a batch. */
interface Share {
  id: number;
  campaign: CampaignItem | undefined;
  /** Due in case that this batch does not end, or cannot tell what it has counted. */
  reminder: due.DueJob;
  recounts: number;
  delta: Delta;
  doubtful: boolean;
}

/**
 * Takes events of one team into the system: rows, engagement, counters, contacts and suppressions. All has taken effect when it returns.
 * An event known before changes nothing. A batch cut off half-way is completed by its next delivery (`applying` on the row)
 * and its counters are recounted (the reminder stays); so they are where a lost answer leaves a count in doubt. Webhooks that want them are
 * told of events last; what is not told yet (`untold` on the row) the batch's next delivery tells.
 */
export async function applyEvents(teamId: number, incoming: readonly IncomingEvent[]): Promise<void> {
  const campaignIds = [...new Set(incoming.flatMap((event) => event.campaign_id ?? []))];
  const [endpoints, shares] = await Promise.all([
    webhooks.active(teamId),
    Promise.all(campaignIds.map((id) => beginShare(teamId, id))),
  ]);
  const left: Left = { untold: new Map(), opened: new Map() };
  for (const day of new Set(incoming.map((event) => event.occurred_at.slice(0, 10)))) await rows.noteDay(teamId, day);
  const known = await knownContacts(teamId, incoming);
  // Events of one address stay in their order; different addresses go side by side.
  const byEmail = Map.groupBy(incoming, (event) => event.email);
  await concurrently([...byEmail.values()], lanes, async (own) => {
    for (const event of own) {
      const share = shares.find(({ id }) => id === event.campaign_id);
      const contact = known.get(event.email);
      const delta = await applyOne(teamId, event, { contact, share, batch: own, endpoints, left });
      if (share) addTo(share, delta);
    }
  });
  await takeBackOpens(teamId, incoming, shares, left);
  await Promise.all(shares.map((share) => endShare(teamId, share)));
  const untold = [...left.untold.values()];
  await publishEmailEvents(teamId, endpoints, untold);
  await concurrently(untold, lanes, (event) => rows.markPublished(teamId, event));
}

async function beginShare(teamId: number, id: number): Promise<Share> {
  const [reminder, { recounts }, campaign] = await Promise.all([
    remindRecount(teamId, id),
    engagement.counts(teamId, id),
    campaigns.find(teamId, id),
  ]);
  return { id, campaign, reminder, recounts, delta: {}, doubtful: false };
}

async function endShare(teamId: number, { id, reminder, recounts, delta, doubtful }: Share): Promise<void> {
  const nothing = Object.values(delta).every((count) => count === 0);
  const counted = nothing || (await engagement.count(teamId, id, delta, recounts));
  if (counted && !doubtful) await due.finish(reminder);
}

function remindRecount(teamId: number, campaignId: number): Promise<due.DueJob> {
  const duty = { kind: 'recount', team_id: teamId, campaign_id: campaignId, batch: randomUUID() } as const;
  return due.schedule(duty, new Date(Date.now() + recountAfterMs));
}

async function knownContacts(teamId: number, incoming: readonly IncomingEvent[]): Promise<Map<string, ContactItem>> {
  const emails = [...new Set(incoming.map((event) => event.email))];
  const found = await contacts.batch(teamId, emails, { eventual: true });
  return new Map(found.flatMap((contact) => (contact ? [[contact.email, contact] as const] : [])));
}

const add = (a: Delta = {}, b: Delta): Delta =>
  Object.fromEntries(
    Object.keys({ ...engagement.noFeedback, ...a, ...b }).map((name) => [
      name,
      (a[name as keyof Delta] ?? 0) + (b[name as keyof Delta] ?? 0),
    ]),
  );

function addTo(share: Share, delta: Delta | 'doubtful'): void {
  if (delta === 'doubtful') share.doubtful = true;
  else share.delta = add(share.delta, delta);
}

/** An event as its row has it: what came first under its id. */
type Stored = ListedEvent & Pick<rows.EventItem, 'applying' | 'untold' | 'machine_reason'>;

/** What a batch leaves to be done when all of it is applied, by the events' ids: what webhooks are to be told, and opens that were counted as people's. */
interface Left {
  untold: Map<number, ListedEvent>;
  opened: Map<number, IncomingEvent>;
}

/** What is known around an event: its contact, its campaign's share, the events that came with it, and the team's webhooks. */
interface Surroundings {
  contact: ContactItem | undefined;
  share: Share | undefined;
  batch: readonly IncomingEvent[];
  endpoints: readonly webhooks.WebhookItem[];
  left: Left;
}

/** Applies one event; returns what it adds to its campaign's counters, nothing for a duplicate, `doubtful` where a lost answer hides which it is. */
async function applyOne(
  teamId: number,
  event: IncomingEvent,
  { contact, share, batch, endpoints, left }: Surroundings,
): Promise<Delta | 'doubtful'> {
  // When it was delivered is looked up only where nothing else tells.
  const judged = machineReason(event, undefined) ?? machineReason(event, await deliveryBefore(teamId, event, batch));
  const id = eventId(event);
  if (await isErased(teamId, event, { contact, share })) return storeErased(teamId, event, id, judged === undefined);
  const repeatable = event.event === 'opened' || event.event === 'clicked';
  const marked = !repeatable && actsOnContact(event, contact, batch);
  const row = {
    ...rowOf(event, id),
    contact_id: event.contact_id ?? contact?.id ?? null,
    is_machine_open: event.event === 'opened' && judged !== undefined,
    ...(judged && { machine_reason: judged }),
    ...(marked && { applying: true }),
    ...(wantsEmail(endpoints, event.event) && { untold: true }),
  };
  const stored = await rows.store(teamId, row);
  const now: Stored = stored.fresh ? row : stored.known;
  if (now.untold) left.untold.set(id, now);
  // The first one's verdict stands: a copy of an open or click applies it again, which changes nothing, while what else acts on a contact
  // acts again only where it was cut off.
  const same = now.campaign_id === event.campaign_id && now.email === event.email;
  const known = !stored.fresh && !(repeatable ? same : now.applying);
  // One that comes again may have been judged after it was counted, by a worker that looked for it in between.
  const maybeCounted = !now.is_machine_open || (!stored.fresh && now.machine_reason === tooSoonReason);
  if (!known && event.event === 'opened' && maybeCounted) left.opened.set(id, event);
  const effects = known ? {} : await applyEffects(teamId, event, id, now, { contact, share });
  if (now.applying) await rows.applied(teamId, now);
  // Who wrote the row of a delivery counts it, or leaves a reminder to recount: not who completes what it does. A lost answer hides who it was.
  const another = !stored.fresh && (known || event.event === 'delivered');
  return !another ? effects : stored.doubtful ? 'doubtful' : {};
}

/** Whether a provider's event is about somebody who was erased since: no longer a recipient of its campaign, and no contact, or one that came to the address after the campaign. */
async function isErased(
  teamId: number,
  { email, campaign_id, contact_id, confirmed }: IncomingEvent,
  { contact, share }: Pick<Surroundings, 'contact' | 'share'>,
): Promise<boolean> {
  if (confirmed === undefined || (campaign_id === null && contact_id === null)) return false;
  const frozenAt = share?.campaign?.frozen_at;
  const known = contact ?? (await contacts.findStored(teamId, email));
  // A sequence's message names its contact.
  if (campaign_id === null) return known?.id !== contact_id;
  if (known && (frozenAt === undefined || known.created_at <= frozenAt)) return false;
  return (await recipients.locate(teamId, campaign_id, email)) === undefined;
}

/** Keeps that something happened without whom it happened to; a bounce or complaint still keeps the address from being mailed. */
async function storeErased(
  teamId: number,
  event: IncomingEvent,
  id: number,
  human: boolean,
): Promise<Delta | 'doubtful'> {
  await applyToContact(teamId, event, id, undefined, human);
  const stored = await rows.store(teamId, {
    ...rowOf(event, id),
    email: erasedEmail,
    contact_id: null,
    metadata: {},
    is_machine_open: event.event === 'opened' && !human,
  });
  if (!stored.fresh) return stored.doubtful ? 'doubtful' : {};
  return event.event === 'delivered' ? { delivered: 1 } : {};
}

const rowOf = (event: IncomingEvent, id: number) => ({
  id,
  email: event.email,
  event: event.event,
  campaign_id: event.campaign_id,
  provider: event.provider,
  source: event.source,
  ...(event.confirmed && { confirmed: true }),
  metadata: event.metadata,
  created_at: event.occurred_at,
});

async function applyEffects(
  teamId: number,
  event: IncomingEvent,
  id: number,
  stored: Stored,
  { contact, share }: Pick<Surroundings, 'contact' | 'share'>,
): Promise<Delta | 'doubtful'> {
  const { machine, delta } =
    event.event === 'clicked' && share
      ? await noteClick(teamId, event, id, stored, { contact, share })
      : { machine: stored.machine_reason, delta: undefined };
  const noted = delta ?? (machine === undefined ? await noteEngagement(teamId, event, contact, share) : {});
  // A delivery that began no row of soft bounces anew has nothing to do with its contact.
  if (event.event !== 'delivered' || stored.applying)
    await applyToContact(teamId, event, id, contact, machine === undefined);
  return noted;
}

/** Whether an event does more than count: a delivery does where soft bounces were counted, be it in this very batch. */
function actsOnContact(
  { event }: IncomingEvent,
  contact: ContactItem | undefined,
  batch: readonly IncomingEvent[],
): boolean {
  if (event === 'delivered')
    return contact !== undefined && (contact.soft_bounce_count > 0 || batch.some(isSoftBounce));
  return event === 'bounced' || event === 'spam_report' || event === 'unsubscribed';
}

async function deliveryBefore(
  teamId: number,
  event: IncomingEvent,
  batch: readonly IncomingEvent[],
): Promise<string | undefined> {
  if (event.event !== 'opened') return undefined;
  const from = timestamp(Date.parse(event.occurred_at) - machineOpenWindowMs);
  const beside = batch.find(
    (other) =>
      other.event === 'delivered' &&
      other.campaign_id === event.campaign_id &&
      other.occurred_at >= from &&
      other.occurred_at <= event.occurred_at,
  );
  return (
    beside?.occurred_at ??
    deliveredJustBefore(teamId, event.campaign_id, event.email, event.occurred_at, machineOpenWindowMs)
  );
}

/** Keeps and judges a click on a link of a campaign. */
async function noteClick(
  teamId: number,
  event: IncomingEvent,
  id: number,
  { machine_reason, metadata }: Stored,
  { contact, share }: { contact: ContactItem | undefined; share: Share },
): Promise<{ machine: string | undefined; delta: Delta | 'doubtful' }> {
  const variant = await variantFor(teamId, event, share.campaign);
  const click = { event: { ...event, metadata }, id, contact, machine: machine_reason, variant };
  const { machine, change } = await applyClick(teamId, share.id, click);
  if (change === 'doubtful') return { machine, delta: change };
  return { machine, delta: { clicked: change, ...(variant && { [`clicked_${variant}`]: change }) } };
}

async function noteEngagement(
  teamId: number,
  event: IncomingEvent,
  contact: ContactItem | undefined,
  share: Share | undefined,
): Promise<Delta | 'doubtful'> {
  if (event.campaign_id === null || !share || event.event === 'clicked') return {};
  if (event.event === 'delivered') return { delivered: 1 };
  const kind = engagement.byEvent[event.event as keyof typeof engagement.byEvent];
  if (!kind) return {};
  const [attribute, counter] = kind;
  const variant = counter === 'opened' ? await variantFor(teamId, event, share.campaign) : undefined;
  const recipient = { email: event.email, contact_id: event.contact_id ?? contact?.id ?? null, variant };
  const noted = await engagement.note(teamId, event.campaign_id, recipient, attribute, event.occurred_at);
  if (noted === 'doubtful') return noted;
  return noted === 'first' ? { [counter]: 1, ...(variant && { [`${counter}_${variant}`]: 1 }) } : {};
}

/**
 * Takes back opens that came too soon after their delivery, whichever of the two came first. Both are written by now, so of two workers that have one
 * each the later finds the other's.
 */
async function takeBackOpens(
  teamId: number,
  incoming: readonly IncomingEvent[],
  shares: readonly Share[],
  { opened, untold }: Left,
): Promise<void> {
  const deliveries = incoming.filter(({ event }) => event === 'delivered');
  const contact = await knownContacts(teamId, [...deliveries, ...opened.values()]);
  const mayHaveOpened = ({ email, occurred_at }: IncomingEvent) =>
    (contact.get(email)?.last_opened_at ?? (contact.has(email) ? '' : '~')) >= occurred_at;
  const caught = await opensTooSoon(teamId, deliveries.filter(mayHaveOpened), opened);
  await concurrently(caught, lanes, async ({ event, opens }) => {
    for (const open of opens) if (untold.has(open.id)) untold.set(open.id, open);
    const share = shares.find(({ id }) => id === event.campaign_id);
    const variant = await variantFor(teamId, event, share?.campaign);
    const change = await uncountOpens(teamId, opens, contact.get(event.email), variant);
    const delta =
      change === 'doubtful' ? change : { opened: change, ...(variant && { [`opened_${variant}`]: change }) };
    if (share) addTo(share, delta);
  });
}

/** The variant of the message that an event is about: our messages carry it; for what a client reports it is looked up where the recipient lies. */
async function variantFor(
  teamId: number,
  { email, confirmed, variant }: IncomingEvent,
  campaign: CampaignItem | undefined,
): Promise<number | undefined> {
  if (variant !== undefined || confirmed !== undefined || !campaign?.test) return variant;
  const found = await recipients.locate(teamId, campaign.id, email);
  return found && (variantOf(found.leaf.dealt?.[found.index]) ?? campaign.winner_variant_id ?? undefined);
}
