import * as z from 'zod';
import * as imports from '../../shared/data/campaigns/audience-imports.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id, time } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './schemas.ts';

const audienceImport = z
  .object({
    campaign_id: id,
    status: z.enum(['none', ...imports.importStatuses]),
    failure_reason: z.string().nullable(),
    objects: z.int(),
    rows: z.int(),
    accepted: z.int().describe('Different addresses; 0 until all rows are read'),
    duplicates: z.int(),
    bad_rows: z.int(),
    problems: z
      .array(z.object({ object: z.string(), line: z.int(), reason: z.string() }))
      .describe('The first 20 of the bad rows'),
    started_at: time.nullable(),
    finished_at: time.nullable(),
  })
  .meta({ id: 'AudienceImport' });

const nothing = {
  status: 'none',
  objects: 0,
  rows: 0,
  accepted: 0,
  bad_rows: 0,
  problems: [] as imports.ImportProblem[],
  started_at: null,
  failure_reason: undefined,
  finished_at: undefined,
} as const;

export const getAudienceImport = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}/audience-import',
  scope: 'campaigns:read',
  extension: true,
  summary:
    'Show how the rows of a warehouse audience were read; `none` before the campaign was sent, and for a list audience',
  params: campaignParams,
  response: dataOf(audienceImport),

  async handle({ caller: { teamId }, params }) {
    const campaign = await campaignOf(teamId, params);
    const stored = await imports.find(teamId, campaign.id);
    const found = stored && !stored.stale ? stored : nothing;
    const { status, rows, accepted, bad_rows } = found;
    return {
      data: {
        ...found,
        campaign_id: campaign.id,
        failure_reason: found.failure_reason ?? null,
        duplicates: status === 'imported' ? rows - bad_rows - accepted : 0,
        finished_at: found.finished_at ?? null,
      },
    };
  },
});
