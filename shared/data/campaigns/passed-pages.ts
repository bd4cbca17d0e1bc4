import { decode, type LedgerStatus } from '../../domain/campaigns/recipient-ledger.ts';
import { keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import type { PageResult } from './page-results.ts';

/** How many results a search for statuses reads at once: each stands for 50 recipients. */
export const resultsAtOnce = 100;

/** The keys of the pages, each the last of some, after which no page since `from` has one of the statuses. */
export async function* leavesWithout(
  teamId: number,
  campaignId: number,
  from: number,
  backward: boolean,
  statuses: readonly LedgerStatus[],
): AsyncGenerator<string> {
  const step = backward ? -1 : 1;
  for (let number = from + step; number >= 0; ) {
    const numbers = [number, Math.max(0, number + step * (resultsAtOnce - 1))].sort((a, b) => a - b);
    const between = numbers.map((one) => keys.page(teamId, campaignId, one).sk) as [string, string];
    const range = table.within(partitions.pages(teamId, campaignId), { between });
    const results = await table.all<PageResult>({ ...range, ScanIndexForward: !backward, ConsistentRead: true });
    // A page that no worker has claimed has no result, and whose recipients are all pending.
    const end = results.findIndex(
      ({ sk, statuses: some }, at) =>
        Number(sk) !== number + at * step || decode(some).some((status) => statuses.includes(status)),
    );
    const passed = end < 0 ? results : results.slice(0, end);
    if (passed.length > 0) yield passed.at(-1)!.leaf;
    if (passed.length < resultsAtOnce) return;
    number += step * resultsAtOnce;
  }
}
