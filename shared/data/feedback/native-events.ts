import { decode } from '../../domain/campaigns/recipient-ledger.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import { placeIn } from '../../domain/events/place.ts';
import { timestamp } from '../../domain/time.ts';
import * as pageResults from '../campaigns/page-results.ts';
import * as recipients from '../campaigns/recipients.ts';
import * as tombstones from '../campaigns/tombstones.ts';
import * as deliveries from '../events/deliveries.ts';
import * as rows from '../events/rows.ts';
import { eventPosition } from '../keys.ts';
import type { Direction, Positioned, Source } from '../paging.ts';
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
  given: readonly deliveries.Delivery[],
): Promise<ListedEvent[]> {
  const numbers = [...new Set(given.map(({ place }) => Math.floor(place / recipients.pageSize)))];
  const results = await pageResults.batch(teamId, campaignId, numbers);
  const leaves = results.map((result) => result?.leaf);
  const pages = await recipients.batch(
    teamId,
    campaignId,
    leaves.filter((leaf) => leaf !== undefined),
  );
  const byNumber = new Map(pages.flatMap((page) => (page ? [[page.number, page] as const] : [])));
  return given.flatMap(({ place, at }) => {
    const page = byNumber.get(Math.floor(place / recipients.pageSize));
    const row = { campaign_id: campaignId, native: 'delivered', created_at: at } as const;
    return page?.recipients[place % recipients.pageSize]
      ? [eventOf(teamId, row, page, place % recipients.pageSize)]
      : [];
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
  const startPage = Math.floor(rows.placeOf(Number(id)) / recipients.pageSize);
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
  {
    campaign_id,
    native,
    created_at,
  }: { campaign_id: number; native: rows.NativeRow['native'] | 'delivered'; created_at: string },
  page: recipients.RecipientPage,
  index: number,
): ListedEvent {
  const { email, contact_id } = page.recipients[index]!;
  return {
    id: rows.nativeId(teamId, campaign_id, native, placeIn(page.number, index)),
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

/** An address's `queued`, `sent` and packed `delivered` between two times, from the campaigns that were sent then. */
export function ofEmail(
  teamId: number,
  email: string,
  low: string,
  high: string,
  onlyCampaign?: number,
): Source<ListedEvent> {
  return async function* (direction, from) {
    const searched: { id: number; frozen_at: string }[] = [];
    for await (const { id, frozen_at, ended_at = '~' } of tombstones.withRecipients(teamId))
      if (frozen_at !== undefined && frozen_at <= high && lastDelivery(ended_at) >= low && (onlyCampaign ?? id) === id)
        searched.push({ id, frozen_at });
    const found: Positioned<ListedEvent>[] = [];
    for (let at = 0; at < searched.length; at += campaignsAtOnce) {
      const some = searched.slice(at, at + campaignsAtOnce);
      found.push(...(await Promise.all(some.map((one) => inCampaign(teamId, one, email)))).flat());
    }
    const sign = direction === 'forward' ? -1 : 1;
    found.sort((a, b) => (a.position < b.position ? -sign : sign));
    for (const event of found) {
      const beyond = from === undefined || (direction === 'forward' ? event.position < from : event.position > from);
      if (beyond && event.position >= low && event.position <= high) yield event;
    }
  };
}

const lastDelivery = (endedAt: string): string =>
  endedAt === '~' ? endedAt : timestamp(Date.parse(endedAt) + maxDeliveryMs);

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
  const positioned = (native: 'queued' | 'sent' | 'delivered', created_at: string) => {
    const item = eventOf(teamId, { campaign_id, native, created_at }, page, index);
    return { position: eventPosition(created_at, item.id), item };
  };
  const sentAt = pageResults.sentAtOf(result, recipients.partOf(page, index), index);
  const sent = sentAt && decode(result!.statuses)[index] === 'sent' ? [positioned('sent', sentAt)] : [];
  const arrived = deliveredAt ? [positioned('delivered', deliveredAt)] : [];
  return [positioned('queued', frozen_at), ...sent, ...arrived];
}
