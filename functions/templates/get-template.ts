import * as templates from '../../shared/data/messages/templates.ts';
import { templateHtml } from '../../shared/flows/messages/compose-body.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { template, templateOf, templateParams } from './schemas.ts';

export const getTemplate = endpoint({
  method: 'GET',
  path: '/templates/{template}',
  scope: 'campaigns:read',
  summary: 'Fetch a template with its HTML',
  params: templateParams,
  response: dataOf(template),

  async handle({ caller: { teamId }, params }) {
    const found = await templateOf(teamId, params);
    return { data: { ...templates.view(found), html_content: await templateHtml(teamId, found) } };
  },
});
