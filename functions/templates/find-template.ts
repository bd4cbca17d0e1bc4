import * as templates from '../../shared/data/messages/templates.ts';
import { NotApplicable, NotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/endpoint.ts';

/** `{template}` in a path. */
export const templateParams = idParams('template');

/** The team's or system template that a path names, or 404. */
export async function templateOf(teamId: number, params: { template: number }): Promise<templates.Template> {
  const found = await templates.find(teamId, params.template);
  if (!found) throw new NotFound('template');
  return found;
}

/** The team's own template that a path names, or 404; 422 for a system template. */
export async function ownTemplateOf(teamId: number, params: { template: number }): Promise<templates.TemplateItem> {
  const found = await templateOf(teamId, params);
  if (templates.isSystem(found)) throw new NotApplicable('A system template cannot be changed or deleted.');
  return found;
}
