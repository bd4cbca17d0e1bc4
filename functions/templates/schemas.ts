import * as z from 'zod';
import { blocks, bodyText } from '../../shared/http/content-schemas.ts';
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
