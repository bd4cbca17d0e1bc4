import { campaignView } from '../../shared/data/campaigns/view.ts';
import * as teams from '../../shared/data/teams/teams.ts';
import { SendBlocked } from '../../shared/domain/errors.ts';
import { begin, unpause } from '../../shared/flows/campaigns/launch.ts';
import { requestMove } from '../../shared/flows/campaigns/request-move.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaign, campaignOf, campaignParams } from './schemas.ts';

export const resumeCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/resume',
  scope: 'campaigns:send',
  summary: 'Let a paused campaign go on; nobody is sent a second message',
  extension: true,
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, actor }) {
    const found = await campaignOf(teamId, params);
    const resumed = await requestMove(teamId, found, actor, { move: 'resume' }, async (marker, row) => {
      if ((await teams.find(teamId))?.suspended_at) throw new SendBlocked(['sending_suspended']);
      return unpause(teamId, found, row, marker);
    });
    await begin(teamId, found.id, resumed.run!);
    return { data: await campaignView(teamId, resumed) };
  },
});
