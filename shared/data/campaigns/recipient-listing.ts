import type { LedgerStatus, RecipientStatus } from '../../domain/campaigns/recipient-ledger.ts';
import * as engagement from '../events/engagement.ts';
import { filtered, resolved, type Search, type Source } from '../paging.ts';
import type { CampaignItem } from './campaigns.ts';
import * as recipients from './recipients.ts';

/** What a recipient listing may be narrowed to. */
export const recipientFilters = ['all', 'opened', 'clicked', 'bounced', 'pending', 'sent'] as const;

/** A recipient with everything known of it. */
export interface ListedRecipient {
  contact_id: number | null;
  email: string | null;
  status: RecipientStatus;
  sent_at: string | null;
  opened_at: string | null;
  clicked_at: string | null;
  error_message: string | null;
}

const leavesAtOnce = 4;

/** A campaign's recipients in address order; none before its audience is frozen. */
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

/** Everybody, leaf by leaf; a position is a leaf's key and a place on it. */
function everyone(teamId: number, campaign: CampaignItem): Source<ListedRecipient> {
  return async function* (direction, from) {
    const backward = direction === 'backward';
    const [start, place] = from?.split('\n') ?? [];
    let cursor: { from?: string; inclusive?: boolean } = { from: start, inclusive: true };
    for (;;) {
      const leaves = await recipients.recipientPages(teamId, campaign.id, { ...cursor, backward, count: leavesAtOnce });
      const rows = await onLeaves(teamId, campaign, leaves);
      for (const { leaf, index, item } of backward ? rows.reverse() : rows) {
        const passed = leaf === start && (backward ? index >= Number(place) : index <= Number(place));
        if (!passed) yield { position: `${leaf}\n${index}`, item };
      }
      if (leaves.length < leavesAtOnce) return;
      cursor = { from: leaves.at(-1)!.sk };
    }
  };
}

async function onLeaves(teamId: number, campaign: CampaignItem, leaves: recipients.RecipientPage[]) {
  const ordered = [...leaves].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const emails = ordered.flatMap((leaf) => leaf.recipients.map(({ email }) => email)).filter(Boolean);
  const erased = ordered.flatMap(({ page, recipients }) =>
    recipients.flatMap(({ email }, index) => (email === '' ? [{ page, index }] : [])),
  );
  const [pages, engaged, erasedEngaged] = await Promise.all([
    recipients.pageResults(
      teamId,
      campaign.id,
      ordered.map((leaf) => leaf.page),
    ),
    engagement.between(teamId, campaign.id, emails[0] ?? '~', emails.at(-1) ?? ' '),
    engagement.ofErased(teamId, campaign.id, erased),
  ]);
  const engagementOf = (leaf: recipients.RecipientPage, index: number) => {
    const { email } = leaf.recipients[index]!;
    if (email !== '') return engaged.get(email);
    return erasedEngaged[erased.findIndex((place) => place.page === leaf.page && place.index === index)];
  };
  return ordered.flatMap((leaf, at) =>
    leaf.recipients.map((recipient, index) => ({
      leaf: leaf.sk,
      index,
      item: view(campaign, leaf, index, recipient, pages[at], engagementOf(leaf, index)),
    })),
  );
}

function view(
  campaign: CampaignItem,
  leaf: recipients.RecipientPage,
  index: number,
  { email, contact_id }: recipients.Recipient,
  page: recipients.PageResult | undefined,
  engaged: engagement.EngagementItem | undefined,
): ListedRecipient {
  const ledger = recipients.statusesOf(page, leaf.recipients.length)[index]!;
  const accepted = ledger === 'sent';
  return {
    contact_id: contact_id || null,
    email: email || null,
    status: exclusive(ledger, campaign, engaged),
    sent_at: accepted ? (recipients.sentAtOf(page, recipients.partOf(leaf, index)) ?? null) : null,
    opened_at: engaged?.opened_at ?? null,
    clicked_at: engaged?.clicked_at ?? null,
    error_message: page?.errors?.[index] ?? null,
  };
}

/** One status per recipient: what went wrong after acceptance lies over the ledger's. */
function exclusive(
  ledger: LedgerStatus,
  campaign: CampaignItem,
  engaged: engagement.EngagementItem | undefined,
): ListedRecipient['status'] {
  if (ledger === 'pending' && campaign.status === 'cancelled') return 'cancelled';
  if (ledger !== 'sent') return ledger;
  if (engaged?.complained_at) return 'complained';
  return engaged?.bounced_at ? 'bounced' : 'sent';
}

/** Where the recipient of an engagement row is: found by its address, or by its place once that is erased. */
async function recipientOf(
  teamId: number,
  campaignId: number,
  { sk, page, index }: engagement.EngagementItem,
): Promise<{ leaf: recipients.RecipientPage; index: number } | undefined> {
  if (page === undefined || index === undefined) return recipients.locate(teamId, campaignId, sk);
  const leaf = await recipients.pageByNumber(teamId, campaignId, page);
  return leaf && { leaf, index };
}

/** Those of whom something is known, from their engagement rows. */
function engaged(teamId: number, campaign: CampaignItem, attribute: engagement.Engagement): Search<ListedRecipient> {
  const rows = filtered(engagement.list(teamId, campaign.id), (row) => row[attribute] !== undefined);
  return resolved(rows, (items) =>
    Promise.all(
      items.map(async (row) => {
        const found = await recipientOf(teamId, campaign.id, row);
        if (!found) return undefined;
        const [page] = await recipients.pageResults(teamId, campaign.id, [found.leaf.page]);
        return view(campaign, found.leaf, found.index, found.leaf.recipients[found.index]!, page, row);
      }),
    ),
  );
}
