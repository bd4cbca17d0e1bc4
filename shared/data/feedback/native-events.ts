import { decode } from '../../domain/campaigns/recipient-ledger.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import { indexIn, type NativeType, nativeId, pageOf, placeIn, placeOfNative } from '../../domain/events/place.ts';
import { timestamp } from '../../domain/time.ts';
import * as pageResults from '../campaigns/page-results.ts';
import * as recipients from '../campaigns/recipients.ts';
import * as tombstones from '../campaigns/tombstones.ts';
import * as deliveries from '../events/deliveries.ts';
import type * as rows from '../events/rows.ts';
import { eventPosition } from '../keys.ts';
import type { Direction, Positioned, Search } from '../paging.ts';
import type { ListedEvent } from './listed-event.ts';

/** How long after a campaign's end SES may deliver, with time to spare: it tries for 14 hours. */
const maxDeliveryMs = 3 * 86_400_000;
/** Campaigns that are searched for an address at once. */
const campaignsAtOnce = 16;
const pagesAtOnce = 4;

/** The events of a native row, in the order of the direction; those of `queued` begin at the page of the position. */
export async function* expand(
  teamId: number,
  row: rows.NativeRow,
  direction: Direction,
  from: string | undefined,
): AsyncGenerator<ListedEvent> {
  const descending = direction === 'forward';
  if (row.native === 'sent') {
    const events = await sentOfPage(teamId, row);
    yield* descending ? events.reverse() : events;
    return;
  }
  for await (const page of pagesOf(teamId, row, descending, from)) {
    const events = page.recipients.map((_recipient, index) => eventOf(teamId, row, page, index));
    yield* descending ? events.reverse() : events;
  }
}

/** The events of deliveries, in their order; those of a page that is gone are left out. */
export async function delivered(
  teamId: number,
  campaignId: number,
  given: readonly rows.Delivery[],
): Promise<ListedEvent[]> {
  const numbers = [...new Set(given.map(({ place }) => pageOf(place)))];
  const results = await pageResults.batch(teamId, campaignId, numbers);
  const leaves = results.map((result) => result?.leaf);
  const pages = await recipients.batch(
    teamId,
    campaignId,
    leaves.filter((leaf) => leaf !== undefined),
  );
  const byNumber = new Map(pages.flatMap((page) => (page ? [[page.number, page] as const] : [])));
  return given.flatMap(({ place, at }) => {
    const [page, index] = [byNumber.get(pageOf(place)), indexIn(place)];
    const row = { campaign_id: campaignId, native: 'delivered', created_at: at } as const;
    return page?.recipients[index] ? [eventOf(teamId, row, page, index)] : [];
  });
}

async function sentOfPage(teamId: number, row: rows.NativeRow): Promise<ListedEvent[]> {
  const result = await pageResults.find(teamId, row.campaign_id, row.page);
  const page = result && (await recipients.page(teamId, row.campaign_id, result.leaf));
  if (!page) return [];
  return decode(result.statuses).flatMap((status, index) =>
    status === 'sent' && isOf(row, page, index, result) ? [eventOf(teamId, row, page, index)] : [],
  );
}

/** Whether a row stands for a recipient of its page. Those that are sent again have a row for each time of sending. */
function isOf(
  { part, created_at }: rows.NativeRow,
  page: recipients.RecipientPage,
  index: number,
  result: pageResults.PageResult,
): boolean {
  if (pageResults.partOf(result, page, index) !== part) return false;
  return part !== 'resent' || pageResults.sentAtOf(result, part, index) === created_at;
}

async function* pagesOf(
  teamId: number,
  { campaign_id, created_at }: rows.NativeRow,
  backward: boolean,
  from: string | undefined,
): AsyncGenerator<recipients.RecipientPage> {
  const [at, id] = from?.split('#') ?? [];
  const startPage = pageOf(placeOfNative(teamId, campaign_id, 'queued', Number(id)));
  const start = at === created_at ? await pageResults.find(teamId, campaign_id, startPage) : undefined;
  let cursor: { from?: string; inclusive?: boolean } = { from: start?.leaf, inclusive: true };
  for (;;) {
    const pages = await recipients.pages(teamId, campaign_id, { ...cursor, backward, count: pagesAtOnce });
    yield* pages;
    if (pages.length < pagesAtOnce) return;
    cursor = { from: pages.at(-1)!.sk };
  }
}

/** The event of one recipient of a page, among those that a native row stands for. */
export function eventOf(
  teamId: number,
  { campaign_id, native, created_at }: { campaign_id: number; native: NativeType; created_at: string },
  page: recipients.RecipientPage,
  index: number,
): ListedEvent {
  const { email, contact_id } = page.recipients[index]!;
  return {
    id: nativeId(teamId, campaign_id, native, placeIn(page.number, index)),
    email: email || erasedEmail,
    event: native,
    campaign_id,
    contact_id: contact_id || null,
    ...(native === 'delivered' ? { provider: 'ses', source: 'provider' } : { provider: null, source: 'native' }),
    is_machine_open: false,
    metadata: {},
    created_at,
  };
}

/**
 * An address's `queued`, `sent` and packed `delivered` between two times, from the campaigns that were sent then. They
 * are searched in the order in which they may have an event, some at once, so that a reader may stop and go on.
 */
export function ofEmail(
  teamId: number,
  email: string,
  low: string,
  high: string,
  onlyCampaign?: number,
): Search<ListedEvent> {
  // Read once for a page, whose reader may begin several times.
  let sends: Promise<Send[]> | undefined;
  return async function* (direction, from) {
    sends ??= sendsBetween(teamId, low, high, onlyCampaign);
    const descending = direction === 'forward';
    const precedes = (a: string, b: string) => (descending ? a > b : a < b);
    const [newest, oldest] = descending ? [from ?? high, low] : [high, from ?? low];
    const searched = (await sends)
      .filter(({ frozen_at, until }) => frozen_at <= newest && until >= oldest)
      .map(({ id, frozen_at, until }): Searched => ({ id, frozen_at, edge: descending ? until : frozen_at }));
    searched.sort((a, b) => (precedes(a.edge, b.edge) ? -1 : 1));
    let found: Positioned<ListedEvent>[] = [];
    for (let at = 0; at < searched.length; at += campaignsAtOnce) {
      const some = searched.slice(at, at + campaignsAtOnce);
      const events = (await Promise.all(some.map((one) => inCampaign(teamId, one, email)))).flat();
      found.push(...events.filter(({ position }) => position >= low && position <= high));
      found = found.filter(({ position }) => from === undefined || precedes(from, position));
      found.sort((a, b) => (precedes(a.position, b.position) ? -1 : 1));
      // No campaign that is left has an event before this.
      const edge = searched[at + campaignsAtOnce]?.edge;
      yield* edge === undefined ? found : found.filter(({ position }) => precedes(position, edge));
      if (edge === undefined) return;
      found = found.filter(({ position }) => !precedes(position, edge));
      if (edge < '9999' && (from === undefined || precedes(from, edge))) yield { reached: edge, read: campaignsAtOnce };
    }
  };
}

/** A campaign with recipients, and a position after its last event. */
interface Send {
  id: number;
  frozen_at: string;
  until: string;
}

/** The campaigns that may have an event between two times: all of a team, or one. */
async function sendsBetween(teamId: number, low: string, high: string, only: number | undefined): Promise<Send[]> {
  const found: Send[] = [];
  for await (const { id, frozen_at, ended_at = '~' } of tombstones.withRecipients(teamId, only))
    if (frozen_at !== undefined && frozen_at <= high && after(ended_at) >= low)
      found.push({ id, frozen_at, until: after(ended_at) });
  return found;
}

/** A campaign that is searched, and the position of the first event that it may have, in the order of reading. */
interface Searched {
  id: number;
  frozen_at: string;
  edge: string;
}

/** A position after the last event of a campaign. */
const after = (endedAt: string): string =>
  endedAt === '~' ? endedAt : `${timestamp(Date.parse(endedAt) + maxDeliveryMs)}~`;

async function inCampaign(
  teamId: number,
  { id: campaign_id, frozen_at }: { id: number; frozen_at: string },
  email: string,
): Promise<Positioned<ListedEvent>[]> {
  const found = await recipients.locate(teamId, campaign_id, email);
  if (!found) return [];
  const { page, index } = found;
  const result: pageResults.PageResult | undefined = await pageResults.find(teamId, campaign_id, page.number);
  const place = placeIn(page.number, index);
  const deliveredAt = (await deliveries.timesOf(teamId, campaign_id, [place])).get(place);
  const positioned = (native: NativeType, created_at: string) => {
    const item = eventOf(teamId, { campaign_id, native, created_at }, page, index);
    return { position: eventPosition(created_at, item.id), item };
  };
  const sentAt = pageResults.sentAtOf(result, recipients.partOf(page, index), index);
  const sent = sentAt && decode(result!.statuses)[index] === 'sent' ? [positioned('sent', sentAt)] : [];
  const arrived = deliveredAt ? [positioned('delivered', deliveredAt)] : [];
  return [positioned('queued', frozen_at), ...sent, ...arrived];
}
