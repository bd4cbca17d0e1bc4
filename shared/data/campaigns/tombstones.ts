import { type Key, keys, partitions } from '../keys.ts';
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

/** Every campaign of the team that may have recipients, deleted ones included. */
export async function* withRecipients(teamId: number): AsyncGenerator<WithRecipients> {
  for await (const campaign of table.queryAll<CampaignItem>(table.within(partitions.campaigns(teamId))))
    yield { id: campaign.id, frozen_at: campaign.frozen_at, ended_at: endedBy(campaign), final: campaign.final };
  yield* table.queryAll<WithRecipients>(table.within(partitions.deletedCampaigns(teamId)));
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

const endedBy = ({ final, updated_at }: CampaignItem): string | undefined => final && updated_at;
