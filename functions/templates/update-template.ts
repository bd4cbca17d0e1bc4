import * as templates from '../../shared/data/messages/templates.ts';
import { NotFound } from '../../shared/domain/errors.ts';
import { composeHtml } from '../../shared/flows/messages/compose-body.ts';
import { maxBodyBytes } from '../../shared/http/content-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { ownTemplateOf, template, templateBody, templateParams } from './schemas.ts';

export const updateTemplate = endpoint({
  method: 'PATCH',
  path: '/templates/{template}',
  scope: 'campaigns:write',
  summary: "Change a template of the team's own; campaigns made of it keep what they copied",
  params: templateParams,
  body: templateBody,
  response: dataOf(template),

  async handle({ caller: { teamId }, params, body: { blocks_json, ...fields } }) {
    const found = await ownTemplateOf(teamId, params);
    const html_content = await composeHtml({ ...fields, blocks_json }, maxBodyBytes);
    const updated = await templates.update(teamId, found, { ...fields, html_content });
    if (!updated) throw new NotFound('template');
    const shown = html_content === undefined ? await templates.body(teamId, found.id) : html_content || null;
    return { data: { ...templates.view(updated), html_content: shown } };
  },
});
