import type { LedgerStatus, RecipientStatus } from '../../domain/campaigns/recipient-ledger.ts';
import { isSettled, neverReported } from '../../domain/campaigns/settling.ts';
import { pageSize } from '../../domain/events/place.ts';
import * as engagement from '../events/engagement.ts';
import { filtered, resolved, type Search } from '../paging.ts';
import type { CampaignItem } from './campaigns.ts';
import * as pageResults from './page-results.ts';
import { leavesWithout, resultsAtOnce } from './passed-pages.ts';
import * as recipients from './recipients.ts';

/** The filters of a recipient listing. */
export const recipientFilters = ['all', 'opened', 'clicked', 'bounced', 'pending', 'sent'] as const;

/** A recipient with its status and engagement. */
export interface ListedRecipient {
  contact_id: number | null;
  email: string | null;
  status: RecipientStatus;
  sent_at: string | null;
  opened_at: string | null;
  clicked_at: string | null;
  error_message: string | null;
}

const pagesAtOnce = 4;

/** A campaign's recipients in address order; none before the snapshot of its audience. */
export function list(
  teamId: number,
  campaign: CampaignItem,
  filter: (typeof recipientFilters)[number],
): Search<ListedRecipient> {
  if (campaign.frozen_at === undefined) return async function* () {};
  if (filter === 'opened' || filter === 'clicked') return engaged(teamId, campaign, `${filter}_at`);
  if (filter === 'bounced')
    return filtered(engaged(teamId, campaign, 'bounced_at'), ({ status }) => status === 'bounced');
  return filtered(everyone(teamId, campaign, lettersOf[filter]), (recipient) => matches(recipient, filter));
}

/** What a page's result must have for a recipient of the page to match; a page without a result is `pending`. */
const lettersOf: Record<'all' | 'pending' | 'sent', readonly LedgerStatus[] | undefined> = {
  all: undefined,
  pending: ['pending', 'sending'],
  sent: ['sent'],
};

function matches({ status }: ListedRecipient, filter: 'all' | 'pending' | 'sent'): boolean {
  if (filter === 'pending') return status === 'pending' || status === 'sending';
  return filter === 'all' || status === 'sent' || status === 'bounced' || status === 'complained';
}

/** All recipients, or those of pages with some statuses; a position is a page's key and an index on it. */
function everyone(
  teamId: number,
  campaign: CampaignItem,
  statuses: readonly LedgerStatus[] | undefined,
): Search<ListedRecipient> {
  return async function* (direction, from) {
    const backward = direction === 'backward';
    const [start, place] = from?.split('\n') ?? [];
    let cursor: { from?: string; inclusive?: boolean } = { from: start, inclusive: true };
    for (;;) {
      const pages = await recipients.pages(teamId, campaign.id, { ...cursor, backward, count: pagesAtOnce });
      const rows = await onPages(teamId, campaign, pages);
      for (const { pageKey, index, item } of backward ? rows.reverse() : rows) {
        const passed = pageKey === start && (backward ? index >= Number(place) : index <= Number(place));
        if (!passed) yield { position: `${pageKey}\n${index}`, item };
      }
      if (pages.length < pagesAtOnce) return;
      cursor = { from: pages.at(-1)!.sk };
      if (!statuses) continue;
      for await (const leaf of leavesWithout(teamId, campaign.id, pages.at(-1)!.number, backward, statuses)) {
        cursor = { from: leaf };
        yield { reached: `${leaf}\n${backward ? 0 : pageSize}`, read: resultsAtOnce };
      }
    }
  };
}

async function onPages(teamId: number, campaign: CampaignItem, pages: recipients.RecipientPage[]) {
  const ordered = [...pages].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const emails = ordered.flatMap((page) => page.recipients.map(({ email }) => email)).filter(Boolean);
  const erased = ordered.flatMap(({ number, recipients }) =>
    recipients.flatMap(({ email }, index) => (email === '' ? [{ page: number, index }] : [])),
  );
  const numbers = ordered.map(({ number }) => number);
  const [results, engaged, erasedEngaged] = await Promise.all([
    pageResults.batch(teamId, campaign.id, numbers),
    engagement.between(teamId, campaign.id, emails[0] ?? '~', emails.at(-1) ?? ' '),
    engagement.ofErased(teamId, campaign.id, erased),
  ]);
  const engagementOf = (page: recipients.RecipientPage, index: number) => {
    const { email } = page.recipients[index]!;
    if (email !== '') return engaged.get(email);
    return erasedEngaged[erased.findIndex((place) => place.page === page.number && place.index === index)];
  };
  return ordered.flatMap((page, at) =>
    page.recipients.map((_recipient, index) => ({
      pageKey: page.sk,
      index,
      item: view(campaign, page, index, results[at], engagementOf(page, index)),
    })),
  );
}

function view(
  campaign: CampaignItem,
  page: recipients.RecipientPage,
  index: number,
  result: pageResults.PageResult | undefined,
  engaged: engagement.EngagementItem | undefined,
): ListedRecipient {
  const { email, contact_id } = page.recipients[index]!;
  const status = statusOf(campaign, page, index, result);
  const sentAt = status === 'sent' ? pageResults.sentAtOf(result, recipients.partOf(page, index), index) : undefined;
  const unreported = status === 'unknown' && isSettled(campaign) ? neverReported : null;
  return {
    contact_id: contact_id || null,
    email: email || null,
    status: status === 'sent' ? afterAcceptance(engaged) : status,
    sent_at: sentAt ?? null,
    opened_at: engaged?.opened_at ?? null,
    clicked_at: engaged?.clicked_at ?? null,
    error_message: status === 'sent' ? null : (result?.errors?.[index] ?? unreported),
  };
}

/** The status of a recipient's message. One that was unknown is so again when the campaign is cancelled before. */
function statusOf(
  { status: campaignStatus }: CampaignItem,
  page: recipients.RecipientPage,
  index: number,
  result: pageResults.PageResult | undefined,
): RecipientStatus {
  const status = pageResults.statusesOf(result, page.recipients.length)[index]!;
  if (status !== 'pending' || campaignStatus !== 'cancelled') return status;
  return pageResults.isResent(result, index) ? 'unknown' : 'cancelled';
}

/** One status per recipient: a bounce or complaint after acceptance replaces the ledger's `sent`. */
function afterAcceptance(engaged: engagement.EngagementItem | undefined): RecipientStatus {
  if (engaged?.complained_at) return 'complained';
  return engaged?.bounced_at ? 'bounced' : 'sent';
}

/** Queries at once for the pages of engagement rows. */
const queriesAtOnce = 8;

type Located = { page: recipients.RecipientPage; index: number };

/** The recipients of engagement rows: by address, each page once where rows follow, or after an erasure by place. */
async function recipientsOf(
  teamId: number,
  campaignId: number,
  rows: readonly engagement.EngagementItem[],
): Promise<Map<string, Located>> {
  const found = new Map<string, Located>();
  const sorted = [...rows].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const each = Math.ceil(sorted.length / queriesAtOnce);
  const chunks = Array.from({ length: queriesAtOnce }, (_, at) => sorted.slice(at * each, (at + 1) * each));
  const locate = async (chunk: typeof sorted) => {
    let page: recipients.RecipientPage | undefined;
    for (const { sk, page: number, index } of chunk) {
      if (number !== undefined && index !== undefined) {
        const own = await pageResults.pageByNumber(teamId, campaignId, number);
        if (own) found.set(sk, { page: own, index });
        continue;
      }
      const on = () => page?.recipients.findIndex(({ email }) => email === sk) ?? -1;
      if (on() < 0) page = await recipients.pageAround(teamId, campaignId, sk);
      if (page && on() >= 0) found.set(sk, { page, index: on() });
    }
  };
  await Promise.all(chunks.map(locate));
  return found;
}

/** The recipients with one kind of engagement, from their engagement rows. */
function engaged(teamId: number, campaign: CampaignItem, attribute: engagement.Engagement): Search<ListedRecipient> {
  const rows = filtered(engagement.list(teamId, campaign.id), (row) => row[attribute] !== undefined);
  return resolved(rows, async (items) => {
    const found = await recipientsOf(teamId, campaign.id, items);
    const numbers = [...new Set([...found.values()].map(({ page }) => page.number))];
    const results = await pageResults.batch(teamId, campaign.id, numbers);
    return items.map((row) => {
      const { page, index } = found.get(row.sk) ?? {};
      if (!page || index === undefined) return undefined;
      return view(campaign, page, index, results[numbers.indexOf(page.number)], row);
    });
  });
}
