import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import { cancelPaused } from '../../data/campaigns/sends.ts';
import { publishingStatus } from './publish-status.ts';
import { requestMove } from './request-move.ts';

/** Cancels a draft, scheduled or paused campaign; what a paused one has not sent goes back to the allowance within minutes. Throws 422. */
export function cancelCampaign(teamId: number, campaign: CampaignItem, operationId: string): Promise<CampaignItem> {
  const { id, status } = campaign;
  return requestMove(teamId, campaign, operationId, 'cancel', (signed) =>
    publishingStatus(teamId, id, 'cancelled', async (outbox) => {
      if (status === 'paused') return cancelPaused(teamId, campaign, signed, outbox);
      return (await campaigns.move(teamId, id, 'cancel', signed, { status }, outbox)) !== undefined;
    }),
  );
}
