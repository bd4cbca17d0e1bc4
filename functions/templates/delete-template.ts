import * as templates from '../../shared/data/messages/templates.ts';
import { deletion, endpoint } from '../../shared/http/endpoint.ts';
import { ownTemplateOf, templateParams } from './schemas.ts';

export const deleteTemplate = endpoint({
  method: 'DELETE',
  path: '/templates/{template}',
  scope: 'campaigns:write',
  summary: "Delete a template of the team's own; campaigns made of it keep what they copied",
  params: templateParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    // Memoized: a repetition after a crash would not find the template that it has deleted.
    const id = await operation.memoize('template', async () => (await ownTemplateOf(teamId, params)).id);
    await templates.remove(teamId, id);
    return { data: { id, deleted: true } };
  },
});
