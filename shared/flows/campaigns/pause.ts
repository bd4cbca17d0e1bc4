import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as teams from '../../data/teams/teams.ts';
import { SendBlocked } from '../../domain/errors.ts';
import { begin, unpause } from './launch.ts';
import { requestMove } from './request-move.ts';

/** Pauses a campaign that is being sent: what is under way is finished, no further page is begun. Throws 422. */
export function pauseCampaign(teamId: number, campaign: CampaignItem, operationId: string): Promise<CampaignItem> {
  return requestMove(
    teamId,
    campaign,
    operationId,
    'pause',
    async (signed) => (await campaigns.move(teamId, campaign.id, 'pause', signed)) !== undefined,
  );
}

/** Lets a paused campaign go on where it was; nobody is sent a second message. Throws 422. */
export async function resumeCampaign(
  teamId: number,
  campaign: CampaignItem,
  operationId: string,
): Promise<CampaignItem> {
  const resumed = await requestMove(teamId, campaign, operationId, 'resume', async (signed) => {
    if ((await teams.find(teamId))?.suspended_at) throw new SendBlocked(['sending_suspended']);
    return unpause(teamId, campaign, signed);
  });
  await begin(teamId, campaign.id, resumed.run!);
  return resumed;
}
