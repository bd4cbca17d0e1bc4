import * as workflow from '../../aws/workflow.ts';
import * as bodies from '../../data/campaigns/bodies.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as sends from '../../data/campaigns/sends.ts';
import * as warehouses from '../../data/campaigns/warehouses.ts';
import * as lists from '../../data/contacts/lists.ts';
import * as due from '../../data/due-jobs.ts';
import type { AuditWrite } from '../../data/teams/audit-log.ts';
import * as teams from '../../data/teams/teams.ts';
import { emailsLeft } from '../../data/teams/usage.ts';
import type { Actor } from '../../domain/actor.ts';
import { blockers } from '../../domain/campaigns/send-gates.ts';
import { type Blocker, SendBlocked } from '../../domain/errors.ts';
import type { Plan } from '../../domain/teams/plans.ts';
import { senderVerified } from '../messages/sender-verified.ts';
import { type AudienceCount, countAudience } from './audience.ts';
import { writeWithEvent } from './publish-status.ts';
import { moveRow, requestMove } from './request-move.ts';
import { outcomeOf } from './sending-record.ts';
import { teamBlockers } from './team-blockers.ts';

/** A send waits this long for its count; what is not counted by then, the snapshot decides. */
const gateMs = 1_000;

/** How the gates count the audience: all of it, enough for a send, or not at all, which leaves it to the snapshot. */
type GateCount = 'all' | 'enough' | 'none';

/** Runs every check before a send. */
export async function checkGates(
  teamId: number,
  plan: Plan,
  campaign: CampaignItem,
  how: GateCount,
  withinMs = how === 'enough' ? gateMs : undefined,
): Promise<{ blockers: Blocker[]; recipients: AudienceCount | null; allowanceLeft: number | null }> {
  const [content, domainVerified, list, warehouse, allowanceLeft, team] = await Promise.all([
    bodies.find(teamId, campaign.id),
    senderVerified(teamId, campaign.from_email),
    campaign.contact_list_id === null ? undefined : lists.find(teamId, campaign.contact_list_id),
    campaign.audience_source === 'warehouse' ? warehouses.find(teamId) : undefined,
    emailsLeft(teamId, plan),
    teamBlockers(teamId),
  ]);
  const members = list?.contacts_count ?? 0;
  const fits = allowanceLeft === null || members <= allowanceLeft;
  // A send needs to know that there is a recipient and that the allowance suffices, not the exact number.
  const enough = how === 'all' ? undefined : fits ? 1 : allowanceLeft + 1;
  const recipients =
    campaign.audience_source === 'warehouse'
      ? null
      : list && how !== 'none'
        ? await countAudience(teamId, campaign, { enough, withinMs })
        : { count: Math.min(members, 1), exact: true, estimate: members };
  const unmet = blockers({
    campaign,
    content,
    domainVerified,
    audienceFound: list !== undefined,
    warehouseConfigured: warehouse !== undefined,
    recipients,
    allowanceLeft,
    team,
    variants: campaign.variants?.length ?? 0,
  });
  return { blockers: unmet, recipients, allowanceLeft };
}

/** The name of a campaign's workflow execution; each run has its own. */
export const executionName = (teamId: number, campaignId: number, run: number): string =>
  `team-${teamId}-campaign-${campaignId}-${run}`;

/** Passes the gates and starts a draft's first run; returns the campaign after it. Throws 422. */
export async function launch(
  caller: { teamId: number; plan: Plan },
  campaign: CampaignItem,
  by: Actor,
): Promise<CampaignItem> {
  const { teamId } = caller;
  const launched = await requestMove(teamId, campaign, by, { move: 'send' }, async (marker, row) => {
    await passGates(caller, campaign);
    const next = (campaign.run ?? 0) + 1;
    const attributes = { ...marker, run: next };
    // Conditional on the campaign that passed the gates: an edit in between must pass them too.
    const { updated_at } = campaign;
    return campaigns.handOver(teamId, campaign.id, { cause: 'send' }, attributes, { updated_at }, [row]);
  });
  await begin(teamId, campaign.id, launched.run!);
  return launched;
}

/** Schedules a launch; the gates run now and again at that time. Throws 422. */
export async function schedule(
  caller: { teamId: number; plan: Plan },
  campaign: CampaignItem,
  at: string,
  by: Actor,
): Promise<CampaignItem> {
  const { teamId } = caller;
  return requestMove(teamId, campaign, by, { move: 'schedule', scheduled_at: at }, async (marker, row) => {
    await passGates(caller, campaign);
    return writeWithEvent(teamId, campaign.id, 'scheduled', (outbox) =>
      sends.schedule(teamId, campaign, at, marker, [due.jobWrite(outbox), row]),
    );
  });
}

async function passGates({ teamId, plan }: { teamId: number; plan: Plan }, campaign: CampaignItem): Promise<void> {
  const { blockers: unmet } = await checkGates(teamId, plan, campaign, 'enough');
  if (unmet.length > 0) throw new SendBlocked(unmet);
}

/** Starts a scheduled campaign that is due, or fails it by the gates; one that was edited meanwhile stays as it is. */
export async function startScheduled(teamId: number, campaign: CampaignItem): Promise<void> {
  const team = await teams.find(teamId);
  const { blockers: unmet } = await checkGates(teamId, team!.plan, campaign, 'none');
  const { id, updated_at } = campaign;
  if (unmet.length === 0) await campaigns.move(teamId, id, 'start', {}, { updated_at });
  else
    await writeWithEvent(teamId, id, 'failed', (outbox) =>
      campaigns.move(teamId, id, 'fail', { failure_reason: unmet.join(', ') }, { updated_at }, [due.jobWrite(outbox)]),
    );
}

/** Starts a run of the campaign's workflow; idempotent. */
export async function begin(teamId: number, campaignId: number, run: number): Promise<void> {
  await workflow.start(executionName(teamId, campaignId, run), { team_id: teamId, campaign_id: campaignId, run });
}

/** Resets the sweep to the first page, for a campaign whose queue messages may be lost. */
export const fromTheFirstPage = { sweep: undefined, sweeps: undefined } as const;

/**
 * Starts a new run of a campaign, with a move or in its current state, and other writes; false when it changed since it
 * was read.
 */
export async function rerun(
  teamId: number,
  campaign: CampaignItem,
  how: Parameters<typeof campaigns.handOver>[2],
  attributes: Partial<CampaignItem> = {},
  others: readonly AuditWrite[] = [],
): Promise<boolean> {
  const run = (campaign.run ?? 0) + 1;
  const seen = { run: campaign.run };
  if (!(await campaigns.handOver(teamId, campaign.id, how, { ...attributes, run }, seen, others))) return false;
  await begin(teamId, campaign.id, run);
  return true;
}

/** Sets a paused campaign to sending without starting its run; false when not paused, or its team is suspended. */
export async function unpause(
  teamId: number,
  campaign: CampaignItem,
  row: AuditWrite,
  marker: Partial<CampaignItem> = {},
): Promise<boolean> {
  const run = (campaign.run ?? 0) + 1;
  const watched_from =
    campaign.paused_by === 'reputation' ? await outcomeOf(teamId, campaign.id) : campaign.watched_from;
  const attributes = { ...marker, ...fromTheFirstPage, run, watched_from, paused_by: undefined, failure_reason: null };
  const [how, seen] = [{ cause: 'resume' } as const, { run: campaign.run }];
  return writeWithEvent(teamId, campaign.id, 'sending', (outbox) => {
    const others = [teams.notSuspended(teamId), due.jobWrite(outbox), row];
    return campaigns.handOver(teamId, campaign.id, how, attributes, seen, others);
  });
}

/** Resumes a paused campaign; false when it is not paused, or its team is suspended. */
export async function resume(teamId: number, campaign: CampaignItem, by: Actor): Promise<boolean> {
  if (!(await unpause(teamId, campaign, moveRow(teamId, campaign, by, { move: 'resume' })))) return false;
  await begin(teamId, campaign.id, (campaign.run ?? 0) + 1);
  return true;
}
