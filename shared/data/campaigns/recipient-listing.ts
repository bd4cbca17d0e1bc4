import type { RecipientStatus } from '../../domain/campaigns/recipient-ledger.ts';
import { isSettled, neverReported } from '../../domain/campaigns/settling.ts';
import * as engagement from '../events/engagement.ts';
import { filtered, resolved, type Search, type Source } from '../paging.ts';
import type { CampaignItem } from './campaigns.ts';
import * as pageResults from './page-results.ts';
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
  return filtered(everyone(teamId, campaign), (recipient) => matches(recipient, filter));
}

function matches({ status }: ListedRecipient, filter: 'all' | 'pending' | 'sent'): boolean {
  if (filter === 'pending') return status === 'pending' || status === 'sending';
  return filter === 'all' || status === 'sent' || status === 'bounced' || status === 'complained';
}

/** All recipients, page by page; a position is a page's key and an index on it. */
function everyone(teamId: number, campaign: CampaignItem): Source<ListedRecipient> {
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

/** The recipient of an engagement row: found by its address, or by its place after an erasure. */
async function recipientOf(
  teamId: number,
  campaignId: number,
  { sk, page: pageNumber, index }: engagement.EngagementItem,
): Promise<{ page: recipients.RecipientPage; index: number } | undefined> {
  if (pageNumber === undefined || index === undefined) return recipients.locate(teamId, campaignId, sk);
  const page = await pageResults.pageByNumber(teamId, campaignId, pageNumber);
  return page && { page, index };
}

/** The recipients with one kind of engagement, from their engagement rows. */
function engaged(teamId: number, campaign: CampaignItem, attribute: engagement.Engagement): Search<ListedRecipient> {
  const rows = filtered(engagement.list(teamId, campaign.id), (row) => row[attribute] !== undefined);
  return resolved(rows, (items) =>
    Promise.all(
      items.map(async (row) => {
        const found = await recipientOf(teamId, campaign.id, row);
        if (!found) return undefined;
        const { page, index } = found;
        return view(campaign, page, index, await pageResults.find(teamId, campaign.id, page.number), row);
      }),
    ),
  );
}
