import * as templates from '../../data/messages/templates.ts';
import { ValidationError } from '../../domain/errors.ts';
import type { Block } from '../../domain/messages/blocks.ts';
import { renderBlocks } from '../../domain/messages/render-blocks.ts';
import { starterHtml } from '../../domain/messages/starter-templates.ts';

/** A body as HTML or as blocks; null clears `html_content` and means absent for `blocks_json`. */
interface BodyInput {
  html_content?: string | null;
  blocks_json?: readonly Block[] | null;
}

/** A template's HTML; null when it is empty. */
export function templateHtml(teamId: number, template: templates.Template): Promise<string | null> {
  return templates.isSystem(template) ? starterHtml(template) : templates.body(teamId, template.id);
}

/** A campaign's body copied from a template; throws 422 on `template_id` when the team has no such template. */
export async function copyTemplate(teamId: number, id: number) {
  const template = await templates.find(teamId, id);
  if (!template) throw new ValidationError({ template_id: ['no such template'] });
  return { html_content: await templateHtml(teamId, template), plain_content: null, copied_from: id };
}

/** The HTML that a request sets, blocks first; undefined when none. Throws 422 for blocks that give over `maxBytes`. */
export async function composeHtml(
  { html_content, blocks_json }: BodyInput,
  maxBytes: number,
): Promise<string | null | undefined> {
  if (!blocks_json) return html_content;
  const rendered = await renderBlocks(blocks_json);
  if (Buffer.byteLength(rendered) > maxBytes)
    throw new ValidationError({ blocks_json: [`at most ${maxBytes} bytes of HTML when rendered`] });
  return rendered;
}
