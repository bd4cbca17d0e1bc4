import * as contacts from '../../data/contacts/contacts.ts';
import * as rows from '../../data/events/rows.ts';
import * as teams from '../../data/teams/teams.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { type IncomingEvent, isBad } from '../../domain/events/delivery-event.ts';
import { applyDeliveries, endingSoftBounces, isPacked } from './apply-deliveries.ts';
import { variantFor } from './apply-effects.ts';
import { applyEvent, type Pending } from './apply-event.ts';
import * as campaignCounts from './campaign-counts.ts';
import { packedDeliveries } from './delivery-before.ts';
import { publishEmailEvents } from './publish-events.ts';
import { opensTooSoon, uncountOpens } from './take-back-opens.ts';

const concurrency = 24;

/**
 * Applies events of one team to rows, engagement, counters, contacts and suppressions; a known event changes nothing. A
 * batch that was cut off is completed when it is delivered again (`applying`, `untold` on the rows), and recounted, as
 * when a lost answer leaves a count in doubt.
 */
export async function applyEvents(teamId: number, incoming: readonly IncomingEvent[]): Promise<void> {
  const known = await knownContacts(teamId, incoming);
  // A campaign whose events here are all packed deliveries needs no job: they are counted as they are stored.
  const counting = incoming.filter((event) => !isPacked(event));
  const campaignIds = [...new Set(counting.flatMap((event) => event.campaign_id ?? []))];
  const placed = incoming.filter(({ event, place }) => event === 'opened' && place !== undefined);
  const [endpoints, ofCampaigns, ending, delivered] = await Promise.all([
    webhooks.active(teamId),
    concurrently(campaignIds, concurrency, (id) => campaignCounts.begin(teamId, id)),
    endingSoftBounces(teamId, incoming, known),
    packedDeliveries(teamId, placed),
  ]);
  const pending: Pending = { unpublished: new Map(), opened: new Map() };
  const days = [...new Set(incoming.map(({ occurred_at }) => occurred_at.slice(0, 10)))];
  await concurrently(days, concurrency, (day) => rows.noteDay(teamId, day));
  // Events of one address stay in their order; different addresses are applied concurrently.
  const byEmail = Map.groupBy(incoming, (event) => event.email);
  await concurrently([...byEmail.values()], concurrency, async (own) => {
    for (const event of own) {
      if (ending.has(event)) await contacts.resetSoftBounces(teamId, event.email);
      if (isPacked(event)) continue;
      const counts = ofCampaigns.find(({ id }) => id === event.campaign_id);
      const contact = known.get(event.email);
      const added = await applyEvent(teamId, event, { contact, counts, batch: own, delivered, endpoints, pending });
      if (counts) campaignCounts.add(counts, added);
    }
  });
  await applyDeliveries(teamId, incoming, endpoints);
  await takeBackOpens(teamId, incoming, ofCampaigns, pending);
  await Promise.all(ofCampaigns.map((counts) => campaignCounts.end(teamId, counts)));
  if (incoming.some(isBad)) await teams.noteBadFeedback(teamId);
  const unpublished = [...pending.unpublished.values()];
  await publishEmailEvents(teamId, endpoints, unpublished);
  await concurrently(unpublished, concurrency, (event) => rows.markPublished(teamId, event));
}

const knownContacts = (teamId: number, incoming: readonly IncomingEvent[]) =>
  contacts.byAddress(teamId, [...new Set(incoming.map(({ email }) => email))], { eventual: true });

/** Takes back opens too soon after their delivery. Both are written: of two workers the later finds both. */
async function takeBackOpens(
  teamId: number,
  incoming: readonly IncomingEvent[],
  ofCampaigns: campaignCounts.CampaignCounts[],
  { opened, unpublished }: Pending,
): Promise<void> {
  const deliveries = incoming.filter(({ event }) => event === 'delivered');
  const known = await knownContacts(teamId, [...deliveries, ...opened.values()]);
  const mayHaveOpened = ({ email, occurred_at }: IncomingEvent) =>
    (known.get(email)?.last_opened_at ?? (known.has(email) ? '' : '~')) >= occurred_at;
  const caught = await opensTooSoon(teamId, deliveries.filter(mayHaveOpened), opened);
  for (const id of new Set(caught.flatMap(({ event }) => event.campaign_id ?? [])))
    if (!ofCampaigns.some((counts) => counts.id === id)) ofCampaigns.push(await campaignCounts.begin(teamId, id));
  await concurrently(caught, concurrency, async ({ event, opens }) => {
    for (const open of opens) if (unpublished.has(open.id)) unpublished.set(open.id, open);
    const counts = ofCampaigns.find(({ id }) => id === event.campaign_id);
    const variant = await variantFor(teamId, event, counts?.campaign);
    const change = await uncountOpens(teamId, opens, known.get(event.email), variant);
    const added =
      change === 'doubtful' ? change : { opened: change, ...(variant && { [`opened_${variant}`]: change }) };
    if (counts) campaignCounts.add(counts, added);
  });
}
