import * as z from 'zod';
import * as imports from '../../shared/data/audience-imports.ts';
import { NotFound } from '../../shared/domain/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf, id, time } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';

const audienceImport = z
  .object({
    campaign_id: id,
    status: z.enum(imports.importStatuses),
    failure_reason: z.string().nullable(),
    objects: z.int(),
    rows: z.int(),
    accepted: z.int().describe('Different addresses; 0 until all rows are read'),
    duplicates: z.int(),
    bad_rows: z.int(),
    problems: z
      .array(z.object({ object: z.string(), line: z.int(), reason: z.string() }))
      .describe('The first 20 of the bad rows'),
    started_at: time,
    finished_at: time.nullable(),
  })
  .meta({ id: 'AudienceImport' });

export const getAudienceImport = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}/audience-import',
  scope: 'campaigns:read',
  extension: true,
  summary:
    'Show how the rows of a warehouse audience were read: 404 before the campaign was sent, and for a list audience',
  params: campaignParams,
  response: dataOf(audienceImport),

  async handle({ caller: { teamId }, params }) {
    const campaign = await campaignOf(teamId, params);
    const found = await imports.find(teamId, campaign.id);
    if (!found || found.stale) throw new NotFound('audience import');
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
