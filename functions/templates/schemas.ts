import * as z from 'zod';
import * as templates from '../../shared/data/messages/templates.ts';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { blocks, bodyText } from '../../shared/http/content-schemas.ts';
import { pathRecord } from '../../shared/http/endpoint.ts';
import { description, id, singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; absent fields stay. */
export const templateBody = z
  .object({
    name: singleLine(255),
    category: singleLine(100, 0).nullish(),
    style: singleLine(100, 0).nullish(),
    description: description.nullish(),
    html_content: bodyText.nullish(),
    blocks_json: blocks
      .nullish()
      .describe('Rendered to `html_content` when it is written, and wins over one that is given'),
  })
  .meta({ id: 'TemplateInput' });

/** A template in a listing. */
export const templateRow = z
  .object({
    id,
    name: z.string(),
    category: z.string().nullable(),
    style: z.string().nullable(),
    description: z.string().nullable(),
    is_system: z.boolean(),
  })
  .meta({ id: 'TemplateSummary' });

/** A template alone, with its HTML. */
export const template = templateRow.extend({ html_content: z.string().nullable() }).meta({ id: 'Template' });

/** `{template}` in a path, and the team's or system template that it names, or 404. */
export const [templateParams, templateOf] = pathRecord('template', templates.find);

/** The team's own template that a path names, or 404; 422 for a system template. */
export async function ownTemplateOf(teamId: number, params: { template: number }): Promise<templates.TemplateItem> {
  const found = await templateOf(teamId, params);
  if (templates.isSystem(found)) throw new NotApplicable('A system template cannot be changed or deleted.');
  return found;
}
