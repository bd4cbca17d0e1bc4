import type { Tally } from '../../domain/campaigns/recipient-ledger.ts';
import { keys, partitions, sendStatsPrefix } from '../keys.ts';
import * as table from '../table.ts';
import type { CampaignItem } from './campaigns.ts';

const shards = 8;

type Stats = Record<`sent_${number}` | 'sent' | 'failed' | 'suppressed' | 'unknown_count', number>;

/** The write that adds a page's new results to the campaign's counters, and its accepted messages by variant. */
export function addition(
  teamId: number,
  campaignId: number,
  pageNumber: number,
  added: Tally,
  byVariant: ReadonlyMap<number, number>,
): table.TransactionWrite {
  const ofVariants = [...byVariant.keys()].map((id) => `, sent_${id} :sent_${id}`).join('');
  return {
    Update: {
      Key: keys.sendStats(teamId, campaignId, pageNumber % shards),
      UpdateExpression: `ADD sent :sent, failed :failed, suppressed :suppressed, unknown_count :unknown${ofVariants}`,
      ExpressionAttributeValues: {
        ...Object.fromEntries([...byVariant].map(([id, count]) => [`:sent_${id}`, count])),
        ':sent': added.sent,
        ':failed': added.failed,
        ':suppressed': added.suppressed,
        ':unknown': added.unknown,
      },
    },
  };
}

async function stats(teamId: number, campaignId: number): Promise<Stats[]> {
  const { items } = await table.query<Stats>({
    ...table.within(partitions.campaign(teamId, campaignId), { prefix: sendStatsPrefix }),
    ConsistentRead: true,
  });
  return items;
}

/** The campaign's counters: how many recipients have each final status. */
export async function counts(teamId: number, campaignId: number): Promise<Tally> {
  const total = { sent: 0, failed: 0, suppressed: 0, unknown: 0 };
  for (const item of await stats(teamId, campaignId)) {
    total.sent += item.sent;
    total.failed += item.failed;
    total.suppressed += item.suppressed;
    total.unknown += item.unknown_count;
  }
  return total;
}

/** How many messages of each variant were accepted, in the order of the ids. */
export async function sentByVariant(teamId: number, campaignId: number, ids: readonly number[]): Promise<number[]> {
  const items = await stats(teamId, campaignId);
  return ids.map((id) => items.reduce((sum, item) => sum + (item[`sent_${id}`] ?? 0), 0));
}

/** The accepted and failed messages of a campaign: from its row once it has ended, else from its counters. */
export async function outcome(
  teamId: number,
  { id, frozen_at, final }: Pick<CampaignItem, 'id' | 'frozen_at' | 'final'>,
): Promise<Pick<Tally, 'sent' | 'failed'>> {
  if (final) return final;
  return frozen_at === undefined ? { sent: 0, failed: 0 } : counts(teamId, id);
}
