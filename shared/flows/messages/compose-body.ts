import * as templates from '../../data/messages/templates.ts';
import { ValidationError } from '../../domain/errors.ts';
import type { Block } from '../../domain/messages/blocks.ts';
import { renderBlocks } from '../../domain/messages/render-blocks.ts';
import { starterHtml } from '../../domain/messages/starter-templates.ts';

/** What a body may be given as; null says nothing but for `html_content`, which it clears. */
interface BodyInput {
  html_content?: string | null;
  blocks_json?: readonly Block[] | null;
}

/** A template's HTML; null when it has none. */
export function templateHtml(teamId: number, template: templates.Template): Promise<string | null> {
  return templates.isSystem(template) ? starterHtml(template) : templates.body(teamId, template.id);
}

/** A copy of a template for a campaign's body; throws 422 on `template_id` when the team has no such template. */
export async function copyTemplate(teamId: number, id: number) {
  const template = await templates.find(teamId, id);
  if (!template) throw new ValidationError({ template_id: ['no such template'] });
  return { html_content: await templateHtml(teamId, template), plain_content: null, copied_from: id };
}

/**
 * The HTML that a request sets; undefined when it leaves it alone. Blocks win over HTML. Throws 422 for blocks that
 * render to more than `longest` bytes.
 */
export async function composeHtml(
  { html_content, blocks_json }: BodyInput,
  longest: number,
): Promise<string | null | undefined> {
  if (!blocks_json) return html_content;
  const rendered = await renderBlocks(blocks_json);
  if (Buffer.byteLength(rendered) > longest)
    throw new ValidationError({ blocks_json: [`at most ${longest} bytes of HTML when rendered`] });
  return rendered;
}
