import type * as z from 'zod';
import type { CampaignFields } from '../../shared/data/campaigns/campaigns.ts';
import * as templates from '../../shared/data/messages/templates.ts';
import type { FieldErrors } from '../../shared/domain/errors.ts';
import { findReferences } from '../../shared/flows/contacts/find-references.ts';
import type { campaignBody } from './schemas.ts';

/** The fields of a new campaign. */
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

/** The fields that a body sets; throws 422 for a list, tag, segment or template that is not the team's. */
export async function campaignFields(
  teamId: number,
  body: z.output<typeof campaignBody>,
  stored: Omit<CampaignFields, 'name'>,
): Promise<Partial<CampaignFields>> {
  const refused: FieldErrors = {};
  const { segment_id, ...fields } = body;
  // An unchanged template may have been deleted since: the campaign keeps its copy.
  const named = fields.template_id === stored.template_id ? undefined : fields.template_id;
  if (named && !(await templates.find(teamId, named))) refused.template_id = ['no such template'];
  const { segments } = await findReferences(
    teamId,
    {
      tags: [{ path: 'audience_filters.tag_ids', ids: fields.audience_filters?.tag_ids ?? undefined }],
      lists: [{ path: 'contact_list_id', id: fields.contact_list_id }],
      segments: [{ path: 'segment_id', id: segment_id }],
    },
    refused,
  );
  const copied = segment_id ? { audience_filters: segments.get(segment_id)!.definition } : {};
  const given: Partial<CampaignFields> = Object.fromEntries(
    Object.entries({ ...fields, ...copied }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === '' ? null : value]],
    ),
  );
  return { ...given, ...missingOfTest({ ...stored, ...given }) };
}

/** The defaults of the unset fields of an A/B test that is on. */
export function missingOfTest(fields: Partial<CampaignFields>): Partial<CampaignFields> {
  if (!fields.ab_test_enabled) return {};
  const missing = Object.entries(abTestDefaults).filter(([name]) => fields[name as keyof CampaignFields] === null);
  return Object.fromEntries(missing);
}
