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

const endedBy = ({ final, updated_at }: CampaignItem): string | undefined => final && updated_at;
