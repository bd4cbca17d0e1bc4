import type * as z from 'zod';
import type { CampaignFields } from '../../shared/data/campaigns.ts';
import * as lists from '../../shared/data/lists.ts';
import * as tags from '../../shared/data/tags.ts';
import { type FieldErrors, ValidationError } from '../../shared/domain/errors.ts';
import type { campaignBody } from './schemas.ts';

/** A campaign before anything is written of it. */
export const blankCampaign: Omit<CampaignFields, 'name'> = {
  subject: null,
  preheader: null,
  from_name: null,
  from_email: null,
  reply_to: null,
  audience_source: 'list',
  contact_list_id: null,
  audience_filters: null,
  template_id: null,
  ab_test_enabled: false,
  ab_test_percentage: null,
  ab_winner_metric: null,
  ab_test_delay_minutes: null,
};

const abTestDefaults = { ab_test_percentage: 20, ab_winner_metric: 'opens', ab_test_delay_minutes: 240 } as const;

/** What a body makes of a campaign's fields; throws 422 for a list, tag, segment or template that is not the team's. */
export async function campaignFields(
  teamId: number,
  body: z.output<typeof campaignBody>,
  stored: Omit<CampaignFields, 'name'>,
): Promise<Partial<CampaignFields>> {
  const errors: FieldErrors = {};
  const { segment_id, ...fields } = body;
  if (segment_id) errors.segment_id = ['no such segment'];
  if (fields.template_id) errors.template_id = ['no such template'];
  if (fields.contact_list_id && !(await lists.find(teamId, fields.contact_list_id)))
    errors.contact_list_id = ['no such list'];
  for (const [index, id] of (fields.audience_filters?.tag_ids ?? []).entries())
    if (!(await tags.find(teamId, id))) errors[`audience_filters.tag_ids.${index}`] = ['no such tag'];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  const given: Partial<CampaignFields> = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === '' ? null : value]],
    ),
  );
  return { ...given, ...missingOfTest({ ...stored, ...given }) };
}

/** The defaults of an A/B test that is on, where nothing was chosen. */
function missingOfTest(fields: Partial<CampaignFields>): Partial<CampaignFields> {
  if (!fields.ab_test_enabled) return {};
  const missing = Object.entries(abTestDefaults).filter(([name]) => fields[name as keyof CampaignFields] === null);
  return Object.fromEntries(missing);
}
