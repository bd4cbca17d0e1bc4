import * as bodies from '../../data/campaigns/bodies.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import type { Variant } from '../../domain/campaigns/ab-test.ts';
import { type CompiledMessage, compile, escapeAroundTags } from '../../domain/messages/merge-tags.ts';
import { plainText } from '../messages/plain-text.ts';

const maxKept = 16;
const bodyTag = /<body[^<>]*>/i;
const compiled = new Map<string, Promise<CompiledMessage>>();

/** A launched campaign's message, or a variant's, compiled once per run and worker. */
export function compiledMessage(teamId: number, campaign: CampaignItem, variant?: Variant): Promise<CompiledMessage> {
  const name = [teamId, campaign.id, campaign.run, variant?.id].join('/');
  let message = compiled.get(name);
  if (!message) {
    message = compileCampaign(teamId, variant ? { ...campaign, subject: variant.subject } : campaign);
    message.catch(() => compiled.delete(name));
    compiled.set(name, message);
    if (compiled.size > maxKept) compiled.delete(compiled.keys().next().value!);
  }
  return message;
}

/** Compiles a campaign's message from its current content. */
export async function compileCampaign(teamId: number, campaign: CampaignItem): Promise<CompiledMessage> {
  const content = await bodies.find(teamId, campaign.id);
  const html = content?.html_content || undefined;
  return compile({
    subject: campaign.subject ?? '',
    html: html && withPreheader(html, campaign.preheader),
    text: content?.plain_content || (html && (await plainText(html))),
  });
}

/** Inserts the preheader, hidden, at the beginning of the body, where inbox previews read it. */
function withPreheader(html: string, preheader: string | null): string {
  if (!preheader) return html;
  const style = 'display:none;max-height:0;overflow:hidden;mso-hide:all';
  const hidden = `<div style="${style}">${escapeAroundTags(preheader)}</div>`;
  return bodyTag.test(html) ? html.replace(bodyTag, (tag) => tag + hidden) : hidden + html;
}
