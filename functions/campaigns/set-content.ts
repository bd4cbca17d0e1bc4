import * as z from 'zod';
import * as bodies from '../../shared/data/campaigns/bodies.ts';
import type { ContentItem } from '../../shared/data/campaigns/campaigns.ts';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { edit } from '../../shared/flows/campaigns/edit.ts';
import { composeHtml, copyTemplate } from '../../shared/flows/messages/compose-body.ts';
import { blocks, bodyText, maxBodyBytes } from '../../shared/http/content-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { recordId } from '../../shared/http/schemas.ts';
import { campaign, campaignParams } from './schemas.ts';

const contentBody = z
  .object({
    html_content: bodyText.nullish(),
    plain_content: bodyText.nullish().describe('Made of the HTML when it is absent'),
    blocks_json: blocks.nullish().describe('Rendered to the HTML when it is written; wins over `html_content`'),
    template_id: recordId
      .nullish()
      .describe(
        'Copies the template in, unless `html_content` or `blocks_json` is given; later edits of it change nothing',
      ),
  })
  .meta({ id: 'CampaignContentInput' });

export const setContent = endpoint({
  method: 'PUT',
  path: '/campaigns/{campaign}/content',
  scope: 'campaigns:write',
  sendsWhen: 'while the campaign is scheduled',
  summary: "Set a campaign's body; absent parts stay",
  params: campaignParams,
  body: contentBody,
  response: dataOf(campaign),

  async handle({ caller, params, body }) {
    const { teamId } = caller;
    const named = body.template_id === undefined ? {} : { template_id: body.template_id };
    const changed = await edit(caller, params.campaign, async ({ id }) => {
      return { attributes: named, body: await contentOf(teamId, body, await bodies.find(teamId, id)) };
    });
    return { data: await campaignView(teamId, changed) };
  },
});

async function contentOf(
  teamId: number,
  body: z.output<typeof contentBody>,
  before: ContentItem = { html_content: null, plain_content: null },
): Promise<ContentItem> {
  const { html_content, plain_content, blocks_json, template_id } = body;
  const copy = template_id ? await copyTemplate(teamId, template_id) : undefined;
  if (copy && !html_content && !blocks_json)
    return plain_content ? { html_content: copy.html_content, plain_content } : copy;
  const html = await composeHtml({ html_content, blocks_json }, maxBodyBytes);
  const untouched = html === undefined && plain_content === undefined;
  if (untouched) return before;
  return {
    html_content: html === undefined ? before.html_content : html,
    plain_content: plain_content === undefined ? before.plain_content : plain_content,
  };
}
