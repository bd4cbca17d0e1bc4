import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { filtered, resolved } from '../../shared/data/paging.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { campaign, campaignStatus } from './schemas.ts';

export const listCampaigns = endpoint({
  method: 'GET',
  path: '/campaigns',
  scope: 'campaigns:read',
  summary: 'List campaigns, newest first',
  query: pageQuery.extend({ status: campaignStatus.optional() }),
  response: pageOf(campaign),

  handle(context) {
    const { teamId } = context.caller;
    const { status } = context.query;
    const all = campaigns.list(teamId);
    const chosen = status ? filtered(all, (item) => item.status === status) : all;
    const shown = resolved(chosen, (items) => Promise.all(items.map((item) => campaignView(teamId, item))));
    return paginate(context, shown, (view) => view);
  },
});
