import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as due from '../../data/due-jobs.ts';
import type { AuditWrite } from '../../data/teams/audit-log.ts';
import * as teams from '../../data/teams/teams.ts';
import type { Actor } from '../../domain/actor.ts';
import { isSettled, reportsUntil } from '../../domain/campaigns/settling.ts';
import { NotApplicable, SendBlocked, StillSettling } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { begin, fromTheFirstPage } from './launch.ts';
import { writeWithEvent } from './publish-status.ts';
import { requestMove } from './request-move.ts';
import { teamBlockers } from './team-blockers.ts';

/**
 * Sends a campaign again to the recipients that stay unknown; their emails are still reserved. Returns the campaign
 * after it. Throws 422 while SES may still report, and where there is nobody to send to.
 */
export async function resendUnknown(
  teamId: number,
  campaign: campaigns.CampaignItem,
  by: Actor,
): Promise<campaigns.CampaignItem> {
  const resent = await requestMove(teamId, campaign, by, { move: 'resend' }, (marker, row) =>
    resend(teamId, campaign, marker, row),
  );
  await begin(teamId, campaign.id, resent.run!);
  return resent;
}

async function resend(
  teamId: number,
  campaign: campaigns.CampaignItem,
  marker: Partial<campaigns.CampaignItem>,
  row: AuditWrite,
): Promise<boolean> {
  const [counts, blockers] = await Promise.all([sendCounters.counts(teamId, campaign.id), teamBlockers(teamId)]);
  if (counts.unknown === 0) throw new NotApplicable('No recipient of this campaign is unknown.');
  if (!isSettled(campaign)) throw new StillSettling(reportsUntil(campaign)!);
  if (blockers.length > 0) throw new SendBlocked(blockers);
  const at = timestamp();
  const attributes = {
    ...marker,
    ...fromTheFirstPage,
    run: (campaign.run ?? 0) + 1,
    resent_at: at,
    progress: { accounted: counts.sent + counts.failed + counts.suppressed, at },
    final: undefined,
    ended_at: undefined,
    failure_reason: null,
  };
  return writeWithEvent(teamId, campaign.id, 'sending', (outbox) =>
    campaigns.handOver(teamId, campaign.id, { cause: 'resend' }, attributes, { run: campaign.run }, [
      teams.notSuspended(teamId),
      due.jobWrite(outbox),
      row,
    ]),
  );
}
