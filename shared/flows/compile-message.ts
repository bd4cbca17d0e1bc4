import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import type { Variant } from '../domain/ab-test.ts';
import { type CompiledMessage, compile, escapeAroundTags } from '../domain/merge-tags.ts';

const kept = 16;
/** Elements within elements; deeper ones are left out of the derived text. */
const deepestMarkup = 500;
const bodyTag = /<body[^<>]*>/i;
const compiled = new Map<string, Promise<CompiledMessage>>();

/** A launched campaign's message, compiled once per run and worker: its content cannot change while it is being sent. A variant brings its own subject. */
export function compiledMessage(teamId: number, campaign: CampaignItem, variant?: Variant): Promise<CompiledMessage> {
  const name = [teamId, campaign.id, campaign.run, variant?.id].join('/');
  let message = compiled.get(name);
  if (!message) {
    message = compileCampaign(teamId, variant ? { ...campaign, subject: variant.subject } : campaign);
    message.catch(() => compiled.delete(name));
    compiled.set(name, message);
    if (compiled.size > kept) compiled.delete(compiled.keys().next().value!);
  }
  return message;
}

/** A campaign's message as it stands. */
export async function compileCampaign(teamId: number, campaign: CampaignItem): Promise<CompiledMessage> {
  const content = await campaigns.content(teamId, campaign.id);
  const html = content?.html_content || undefined;
  return compile({
    subject: campaign.subject ?? '',
    html: html && withPreheader(html, campaign.preheader),
    text: content?.plain_content || (html && (await plainText(html))),
  });
}

/** The plain-text part of an HTML message, merge tags kept. */
export async function plainText(html: string): Promise<string> {
  const { htmlToText } = await import('html-to-text');
  return htmlToText(html, {
    wordwrap: false,
    limits: { maxDepth: deepestMarkup },
    selectors: [
      // Upper case would change the names of merge tags.
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
}

/** Puts the preheader, hidden, first in the body, where inbox previews read it. */
function withPreheader(html: string, preheader: string | null): string {
  if (!preheader) return html;
  const hidden = `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeAroundTags(preheader)}</div>`;
  return bodyTag.test(html) ? html.replace(bodyTag, (tag) => tag + hidden) : hidden + html;
}
