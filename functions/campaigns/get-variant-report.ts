import * as z from 'zod';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaignOf, campaignParams } from './schemas.ts';
import { variant, variantViews } from './variant-schemas.ts';

export const getVariantReport = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}/report/variants',
  scope: 'events:read',
  summary: 'Show what each variant of an A/B test brought; opens and clicks count people, once each',
  params: campaignParams,
  response: dataOf(z.array(variant)),
  handle: async ({ caller: { teamId }, params }) => ({
    data: await variantViews(teamId, await campaignOf(teamId, params)),
  }),
});
