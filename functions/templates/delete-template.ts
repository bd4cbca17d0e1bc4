import * as templates from '../../shared/data/messages/templates.ts';
import { deleteBy, deletion, endpoint } from '../../shared/http/endpoint.ts';
import { ownTemplateOf, templateParams } from './schemas.ts';

export const deleteTemplate = endpoint({
  method: 'DELETE',
  path: '/templates/{template}',
  scope: 'campaigns:write',
  summary: "Delete a template of the team's own; campaigns made of it keep what they copied",
  params: templateParams,
  response: deletion,
  handle: deleteBy('template', ownTemplateOf, templates.remove),
});
