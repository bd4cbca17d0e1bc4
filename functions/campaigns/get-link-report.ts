import * as z from 'zod';
import { linkRows } from '../../shared/flows/reports/campaign-report.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
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
  response: dataOf(z.array(linkRow)),

  async handle({ caller: { teamId }, params }) {
    const { id } = await campaignOf(teamId, params);
    return { data: await linkRows(teamId, id) };
  },
});
