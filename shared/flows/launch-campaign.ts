import { findIdentity } from '../aws/identities.ts';
import * as workflow from '../aws/workflow.ts';
import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import * as lists from '../data/lists.ts';
import * as domains from '../data/sending-domains.ts';
import * as teams from '../data/teams.ts';
import { emailsLeft } from '../data/usage.ts';
import { domainOf } from '../domain/email-address.ts';
import { NotApplicable, SendBlocked } from '../domain/errors.ts';
import type { Plan } from '../domain/plans.ts';
import { type Blocker, blockers } from '../domain/send-gates.ts';
import { countAudience } from './audience.ts';

/** What every check before a send finds; preflight and send ask the same. */
export async function checkGates(
  teamId: number,
  plan: Plan,
  campaign: CampaignItem,
  count: 'exact' | 'enough',
): Promise<{ blockers: Blocker[]; estimatedRecipients: number | null; allowanceLeft: number | null }> {
  const domain = campaign.from_email ? domainOf(campaign.from_email) : undefined;
  const [content, owned, identity, list, allowanceLeft, team] = await Promise.all([
    campaigns.content(teamId, campaign.id),
    domain ? domains.find(teamId, domain) : undefined,
    domain ? findIdentity(domain) : undefined,
    campaign.contact_list_id === null ? undefined : lists.find(teamId, campaign.contact_list_id),
    emailsLeft(teamId, plan),
    teams.find(teamId),
  ]);
  const fromList = campaign.audience_source === 'list';
  const fits = allowanceLeft === null || (list !== undefined && list.contacts_count <= allowanceLeft);
  // Sending needs to know that there is somebody and that the allowance suffices, not how many exactly.
  const enough = count === 'exact' ? Number.POSITIVE_INFINITY : fits ? 1 : allowanceLeft + 1;
  const estimatedRecipients = !fromList ? null : list ? await countAudience(teamId, campaign, enough) : 0;
  const unmet = blockers({
    campaign,
    content,
    domainVerified: owned !== undefined && identity?.status === 'verified',
    audienceFound: list !== undefined,
    estimatedRecipients,
    allowanceLeft,
    suspended: team?.suspended_at !== undefined,
    variants: 0,
  });
  return { blockers: unmet, estimatedRecipients, allowanceLeft };
}

/** The name of a campaign's workflow execution; a new run gets a new name. */
export const executionName = (teamId: number, campaignId: number, run: number): string =>
  `team-${teamId}-campaign-${campaignId}-${run}`;

/** Passes the gates and hands a draft to the workflow; the same operation, executed again, finds the campaign launched. Throws 422. */
export async function launch(
  caller: { teamId: number; plan: Plan },
  campaign: CampaignItem,
  operationId: string,
): Promise<void> {
  const { teamId, plan } = caller;
  if (campaign.launch_id !== operationId) {
    if (campaign.status !== 'draft') throw new NotApplicable(`A campaign that is ${campaign.status} cannot be sent.`);
    const { blockers: unmet } = await checkGates(teamId, plan, campaign, 'enough');
    if (unmet.length > 0) throw new SendBlocked(unmet);
    const run = (campaign.run ?? 0) + 1;
    const attributes = { launch_id: operationId, launched_by: { plan }, run };
    // As it was when the gates were passed: an edit that came between must pass them too.
    const { updated_at } = campaign;
    if (!(await campaigns.handOver(teamId, campaign.id, { cause: 'launch' }, attributes, { updated_at })))
      throw new NotApplicable('The campaign was sent or changed at the same moment.');
    await begin(teamId, campaign.id, run);
    return;
  }
  await begin(teamId, campaign.id, campaign.run!);
}

/** Starts a run of the campaign's workflow; safe to repeat. */
export async function begin(teamId: number, campaignId: number, run: number): Promise<void> {
  await workflow.start(executionName(teamId, campaignId, run), { team_id: teamId, campaign_id: campaignId });
}

/** Forgets what was queued, so that the pages are swept from the first: for a campaign whose messages may be gone. */
export const fromTheFirstPage = { sweep: undefined, sweeps: undefined } as const;

/** Gives a campaign a new run, by a move or where it stands: its execution is gone, or an operator or the quota had stopped it. */
export async function rerun(
  teamId: number,
  campaign: CampaignItem,
  how: Parameters<typeof campaigns.handOver>[2],
  attributes: Partial<CampaignItem> = {},
): Promise<boolean> {
  const run = (campaign.run ?? 0) + 1;
  const seen = { run: campaign.run };
  if (!(await campaigns.handOver(teamId, campaign.id, how, { ...attributes, run }, seen))) return false;
  await begin(teamId, campaign.id, run);
  return true;
}

/** Puts a paused campaign back to sending, from its first page: what is sent stays sent. False when it is not paused. */
export function resume(teamId: number, campaign: CampaignItem): Promise<boolean> {
  const attributes = { ...fromTheFirstPage, paused_by: undefined, failure_reason: null };
  return rerun(teamId, campaign, { cause: 'resume' }, attributes);
}
