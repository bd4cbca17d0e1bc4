import * as z from 'zod';
import * as campaigns from '../../shared/data/campaigns.ts';
import { type FieldErrors, NotApplicable, ValidationError } from '../../shared/domain/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf, recordId } from '../../shared/http/schemas.ts';
import { editable } from './editable-campaign.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';
import { campaign, campaignView } from './schemas.ts';

/** DynamoDB keeps 400 KB an item; both bodies share it. */
const longest = 180_000;
const bodyText = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine((text) => Buffer.byteLength(text) <= longest, `at most ${longest} bytes`);

export const setContent = endpoint({
  method: 'PUT',
  path: '/campaigns/{campaign}/content',
  scope: 'campaigns:write',
  summary: "Set a campaign's body; absent parts stay",
  params: campaignParams,
  body: z
    .object({
      html_content: bodyText.nullish(),
      plain_content: bodyText.nullish(),
      blocks_json: z.array(z.unknown()).nullish(),
      template_id: recordId.nullish(),
    })
    .meta({ id: 'CampaignContentInput' }),
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, body }) {
    const { item, move } = await editable(teamId, params);
    refuseUnavailable(body);
    const before = await campaigns.content(teamId, item.id);
    const content = {
      html_content: (body.html_content === undefined ? before?.html_content : body.html_content) ?? null,
      plain_content: (body.plain_content === undefined ? before?.plain_content : body.plain_content) ?? null,
      blocks_json: null,
    };
    if (!(await campaigns.setContent(teamId, item.id, [item.status], content, move)))
      throw new NotApplicable('The campaign was changed or sent at the same moment.');
    return { data: await campaignView(teamId, await campaignOf(teamId, params)) };
  },
});

function refuseUnavailable({
  blocks_json,
  template_id,
}: {
  blocks_json?: unknown[] | null;
  template_id?: number | null;
}): void {
  const errors: FieldErrors = {};
  if (blocks_json) errors.blocks_json = ['blocks are not available yet; send html_content'];
  if (template_id) errors.template_id = ['no such template'];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}
