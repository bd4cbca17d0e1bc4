import { decode } from '../../domain/campaigns/recipient-ledger.ts';
import { partitions } from '../keys.ts';
import * as table from '../table.ts';
import type { PageResult } from './page-results.ts';
import * as recipients from './recipients.ts';

/** The pages of a campaign by state, as an operator sees them. */
export interface PageOverview {
  total: number;
  /** No worker has claimed them yet. */
  not_started: number;
  sending: number;
  /** Tried, with recipients left to send. */
  open: number;
  done: number;
  /** False where there are more pages than are read: then the counts are of the first ones. */
  complete: boolean;
  /** The page that has been claimed longest and is not done. */
  oldest_open: { page: number; state: 'open' | 'sending'; claimed_until: string; recipients_left: number } | null;
  /** What SES or we said of recipients that failed, the most frequent first. */
  errors: { error: string; recipients: number }[];
}

const maxPages = 10_000;
const maxErrors = 5;

/** Reads the results of a campaign's pages: 10,000 at most. */
export async function pageOverview(teamId: number, campaignId: number): Promise<PageOverview> {
  const [last] = await recipients.pages(teamId, campaignId, { backward: true, count: 1 });
  const total = last ? last.number + 1 : 0;
  const counts = { sending: 0, open: 0, done: 0 };
  const errors = new Map<string, number>();
  let [read, oldest]: [number, PageResult | undefined] = [0, undefined];
  const rows = table.queryAll<PageResult>({
    ...table.within(partitions.pages(teamId, campaignId)),
    Limit: 1_000,
  });
  for await (const row of rows) {
    if (read === maxPages) break;
    read++;
    counts[row.state]++;
    if (row.state !== 'done' && (!oldest || row.lease_until < oldest.lease_until)) oldest = row;
    for (const error of Object.values(row.errors ?? {})) errors.set(error, (errors.get(error) ?? 0) + 1);
  }
  const frequent = [...errors].sort(([, a], [, b]) => b - a).slice(0, maxErrors);
  return {
    total,
    not_started: Math.max(0, Math.min(total, maxPages) - read),
    ...counts,
    complete: total <= maxPages,
    oldest_open: oldest ? openPage(oldest) : null,
    errors: frequent.map(([error, recipients]) => ({ error, recipients })),
  };
}

function openPage({ sk, state, lease_until, statuses }: PageResult) {
  const left = decode(statuses).filter((status) => status === 'pending' || status === 'sending');
  return {
    page: Number(sk),
    state: state as 'open' | 'sending',
    claimed_until: lease_until,
    recipients_left: left.length,
  };
}
