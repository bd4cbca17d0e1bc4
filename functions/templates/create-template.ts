import * as templates from '../../shared/data/messages/templates.ts';
import { composeHtml } from '../../shared/flows/messages/compose-body.ts';
import { maxBodyBytes } from '../../shared/http/content-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { template, templateBody } from './schemas.ts';

export const createTemplate = endpoint({
  method: 'POST',
  path: '/templates',
  scope: 'campaigns:write',
  summary: 'Create a template of HTML or of blocks',
  body: templateBody,
  response: dataOf(template),

  async handle({ caller: { teamId }, body: { blocks_json, ...fields }, operation }) {
    const html_content = await composeHtml({ ...fields, blocks_json }, maxBodyBytes);
    const id = await operation.memoize('template_id', () => templates.reserveId(teamId));
    const created = await templates.create(teamId, id, { ...fields, html_content });
    return { data: { ...templates.view(created), html_content: html_content || null } };
  },
});
