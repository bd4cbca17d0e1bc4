import * as z from 'zod';
import { linkRows } from '../../shared/flows/reports/campaign-report.ts';
import { rowCounts } from '../../shared/flows/reports/count-rows.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { time } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './schemas.ts';

const linkRow = z
  .object({ url: z.string(), clicks: z.int(), unique: z.int(), bots: z.int() })
  .meta({ id: 'LinkReportRow' });

export const getLinkReport = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}/report/links',
  scope: 'events:read',
  summary: 'Show the clicks on each link, most clicked first; machines are counted apart',
  params: campaignParams,
  response: z.object({
    data: z.array(linkRow),
    exact: z.boolean().meta({
      description:
        'Beyond the contract; false: too many clicks to count at once; the last count, see counted_at, or a part',
      'x-extension': true,
    }),
    counted_at: time.meta({ description: 'Beyond the contract: when these were counted', 'x-extension': true }),
  }),

  async handle({ caller: { teamId }, params }) {
    const campaign = await campaignOf(teamId, params);
    const { exact, counted_at, ...counts } = await rowCounts(teamId, campaign, false);
    return { data: await linkRows(teamId, campaign.id, counts), exact, counted_at };
  },
});
