import * as bodies from '../../data/campaigns/bodies.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import { editable, target } from '../../domain/campaigns/status.ts';
import { NotApplicable, NotFound, Unavailable } from '../../domain/errors.ts';
import { requireSender } from '../../domain/teams/scopes.ts';

const maxAttempts = 5;

/** What an edit writes: attributes of the campaign and, where it sets one, a body or the copy of a template. */
export interface Edit {
  attributes: Partial<campaigns.CampaignItem>;
  body?: campaigns.ContentItem;
  /** Written unless the campaign has a body that is not itself an unchanged copy. */
  copy?: campaigns.ContentItem;
}

/**
 * Edits a draft, scheduled or held campaign; a held one returns to draft. Calls `change` again when the campaign
 * changed since it was read. Throws 404, 403 for a scheduled one that a sender has approved and the caller may not
 * send, 422 in another state, and 503 after five attempts.
 */
export function edit(
  { teamId, scopes }: { teamId: number; scopes: readonly string[] | null },
  campaignId: number,
  change: (campaign: campaigns.CampaignItem) => Promise<Edit> | Edit,
): Promise<campaigns.CampaignItem> {
  return retryConflicts(async () => {
    const campaign = await campaigns.find(teamId, campaignId);
    if (!campaign) throw new NotFound('campaign');
    if (!editable.includes(campaign.status))
      throw new NotApplicable(`A campaign that is ${campaign.status} cannot be changed.`);
    if (campaign.status === 'scheduled')
      requireSender(scopes, 'the campaign is scheduled, and its schedule must be cancelled first');
    const status = target('reopen', campaign.status);
    const { body, copy, ...changed } = await change(campaign);
    const attributes = { ...changed.attributes, ...(status && { status, failure_reason: null, scheduled_at: null }) };
    if (body) return bodies.set(teamId, campaign, attributes, body);
    if (copy) return bodies.copyTemplate(teamId, campaign, attributes, copy);
    return campaigns.edit(teamId, campaign, attributes);
  });
}

/** The result of the first attempt that has one; throws 503 when none of five has: each lost to another request. */
export async function retryConflicts<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let made = 0; made < maxAttempts; made++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Unavailable('Other requests change this campaign; try again.');
}
