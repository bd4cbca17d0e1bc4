import { type Key, keys, padId, partitions } from '../keys.ts';
import { merged } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import type { CampaignItem, Reservation } from './campaigns.ts';

/** A campaign that may have recipients. */
interface WithRecipients {
  id: number;
  /** Absent before the snapshot of its audience is complete. */
  frozen_at?: string;
  /** No message was sent after this; absent where that is not known. */
  ended_at?: string;
  /** Absent while it may change, and for a deleted campaign. */
  final?: CampaignItem['final'];
}

/** What remains of a deleted campaign that was launched. */
export interface Tombstone extends Omit<WithRecipients, 'final'>, Key {
  charge?: Reservation;
}

/** Deletes a campaign, leaving a tombstone if it was launched; false when it changed since it was read. */
export async function remove(teamId: number, campaign: CampaignItem): Promise<boolean> {
  const { id, status, run, frozen_at, charge, updated_at } = campaign;
  const ended_at = endedBy(campaign);
  const tombstone: Tombstone = { ...keys.deletedCampaign(teamId, id), id, frozen_at, ended_at, charge };
  return table.transactIf([
    {
      Delete: {
        Key: keys.campaign(teamId, id),
        ConditionExpression: '#status = :status AND updated_at = :updated',
        ExpressionAttributeValues: { ':status': status, ':updated': updated_at },
      },
    },
    ...(run === undefined ? [] : [{ Put: { Item: tombstone } }]),
  ]);
}

/** Reads the tombstone of a deleted campaign. */
export function find(teamId: number, id: number): Promise<Tombstone | undefined> {
  return table.get<Tombstone>(keys.deletedCampaign(teamId, id));
}

/** Every campaign of the team that may have recipients, or only one of them; deleted ones included. */
export async function* withRecipients(teamId: number, only?: number): AsyncGenerator<WithRecipients> {
  if (only !== undefined) {
    const of = [keys.campaign(teamId, only), keys.deletedCampaign(teamId, only)];
    const [campaign, tombstone] = await table.batchGet<CampaignItem & Tombstone>(of);
    if (campaign) yield { ...campaign, ended_at: endedBy(campaign) };
    else if (tombstone) yield tombstone;
    return;
  }
  const projected = { ProjectionExpression: 'id, frozen_at, updated_at, #final' };
  const own = { ...table.within(partitions.campaigns(teamId)), ...projected };
  for await (const campaign of table.queryAll<CampaignItem>(own))
    yield { id: campaign.id, frozen_at: campaign.frozen_at, ended_at: endedBy(campaign), final: campaign.final };
  yield* table.queryAll<WithRecipients>(table.within(partitions.deletedCampaigns(teamId)));
}

/** The team's campaigns from before an id, newest first, deleted ones included. */
export async function* before(teamId: number, id: number | undefined): AsyncGenerator<WithRecipients> {
  const parts = [partitions.campaigns(teamId), partitions.deletedCampaigns(teamId)];
  const sources = parts.map((pk) => partition<CampaignItem | Tombstone>({ pk, descending: true }));
  const newest = merged<CampaignItem | Tombstone>(sources, false);
  for await (const { item } of newest('forward', id === undefined ? undefined : padId(id), 100))
    yield 'status' in item ? { ...item, ended_at: endedBy(item) } : item;
}

/** The ids of the team's campaigns after a position, deleted ones included, each with its position. */
export async function* idsAfter(teamId: number, after = ''): AsyncGenerator<{ id: number; position: string }> {
  const parts = [
    ['0', partitions.campaigns(teamId)],
    ['1', partitions.deletedCampaigns(teamId)],
  ] as const;
  for (const [part, pk] of parts) {
    if (after.slice(0, 1) > part) continue;
    const low = after.startsWith(part) ? `${after.slice(1)}!` : '!';
    const range = table.within(pk, { between: [low, '~'] });
    const rows = table.queryAll<{ id: number; sk: string }>({ ...range, ProjectionExpression: 'id, sk', Limit: 100 });
    for await (const { id, sk } of rows) yield { id, position: part + sk };
  }
}

/** When a campaign was over: no message was sent after it; undefined while it may send. */
export const endedBy = ({ final, updated_at }: Pick<CampaignItem, 'final' | 'updated_at'>): string | undefined =>
  final && updated_at;
