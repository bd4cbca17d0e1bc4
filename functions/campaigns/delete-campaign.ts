import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import * as tombstones from '../../shared/data/campaigns/tombstones.ts';
import { deletable } from '../../shared/domain/campaigns/status.ts';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { retryConflicts } from '../../shared/flows/campaigns/edit.ts';
import { deletion, endpoint } from '../../shared/http/endpoint.ts';
import { campaignOf, campaignParams } from './schemas.ts';

export const deleteCampaign = endpoint({
  method: 'DELETE',
  path: '/campaigns/{campaign}',
  scope: 'campaigns:write',
  summary: 'Delete a campaign that is not on its way',
  params: campaignParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    // Kept with the operation: the same request, run again after a crash, must not answer 404 to its own work.
    const id = await operation.memoize('campaign', async () => (await campaignOf(teamId, params)).id);
    const deleted = { id, deleted: true as const };
    const data = await retryConflicts(async () => {
      const campaign = await campaigns.find(teamId, id);
      if (!campaign) return deleted;
      const { status } = campaign;
      if (!deletable.includes(status)) throw new NotApplicable(`A campaign that is ${status} cannot be deleted.`);
      return (await tombstones.remove(teamId, campaign)) ? deleted : undefined;
    });
    return { data };
  },
});
