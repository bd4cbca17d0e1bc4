import * as workflow from '../../aws/workflow.ts';
import * as imports from '../../data/campaigns/audience-imports.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import { type PageOverview, pageOverview } from '../../data/campaigns/page-overview.ts';
import * as sendCounters from '../../data/campaigns/send-counters.ts';
import { bookedUntil } from '../../data/messages/send-rate.ts';
import type { Tally } from '../../domain/campaigns/recipient-ledger.ts';
import { openForUnknownSeconds, reportsUntil } from '../../domain/campaigns/settling.ts';
import { plannedStart, working } from '../../domain/campaigns/status.ts';
import { NotFound } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { executionName } from './launch.ts';

interface Ids {
  team_id: number;
  campaign_id: number;
}

async function existing({ team_id, campaign_id }: Ids): Promise<CampaignItem> {
  const campaign = await campaigns.find(team_id, campaign_id);
  if (!campaign) throw new NotFound(`campaign of this team: ${campaign_id}`);
  return campaign;
}

/** What an operator needs to know of a campaign that does not move; reads 10,000 pages at most. Throws 404. */
export async function showCampaign(ids: Ids) {
  const { team_id, campaign_id } = ids;
  const campaign = await existing(ids);
  const [counts, pages, imported, rateUntil] = await Promise.all([
    sendCounters.counts(team_id, campaign_id),
    pageOverview(team_id, campaign_id),
    campaign.audience_source === 'warehouse' ? imports.find(team_id, campaign_id) : undefined,
    bookedUntil(),
  ]);
  const name = campaign.run === undefined ? undefined : executionName(team_id, campaign_id, campaign.run);
  const status = name && (await workflow.executionStatus(name));
  const { total_recipients: total } = campaign;
  const accounted = counts.sent + counts.failed + counts.suppressed + counts.unknown;
  const { errors, ...byState } = pages;
  return {
    ...ids,
    status: campaign.status,
    since: since(campaign),
    ...waiting(campaign, { counts, pages, rateUntil, runs: status === 'RUNNING' }),
    run: campaign.run ?? null,
    run_started_at: campaign.run_started_at ?? null,
    execution: name ? { name, status: status ?? null } : null,
    recipients: { total, pending: Math.max(0, total - accounted), ...counts },
    last_progress_at: campaign.progress?.at ?? null,
    pages: byState,
    import: imported?.status ?? null,
    last_error: campaign.failure_reason ?? errors[0]?.error ?? null,
    errors,
    logs: logsOf(campaign),
  };
}

/** When it got its status: `sending` counts from the snapshot or the last resend, `partial` from its last result. */
function since({ status, run_started_at, frozen_at, resent_at, progress, updated_at }: CampaignItem): string {
  if (status === 'screening' || status === 'queuing') return run_started_at ?? updated_at;
  if (status === 'sending') return resent_at ?? frozen_at ?? updated_at;
  return status === 'partial' ? (progress?.at ?? updated_at) : updated_at;
}

interface Found {
  counts: Tally;
  pages: PageOverview;
  /** Until when the account's send rate is booked. */
  rateUntil: string | undefined;
  /** Whether the execution runs. */
  runs: boolean;
}

/** What a record waits for, as a word, and until when where that is known; null when it waits for nothing. */
const waitsFor = (waits_for: string | null, until: string | null = null) => ({ waits_for, until });
const later = (at: string, ms: number): string => timestamp(Date.parse(at) + ms);

function waiting(campaign: CampaignItem, found: Found): ReturnType<typeof waitsFor> {
  const planned = plannedStart(campaign);
  if (planned !== undefined && planned > timestamp())
    return waitsFor(campaign.status === 'scheduled' ? 'start_time' : 'ab_decision', planned);
  if ((planned !== undefined || working.includes(campaign.status)) && !found.runs) return waitsFor('due_jobs');
  switch (campaign.status) {
    case 'draft':
      return waitsFor('team_to_send');
    case 'held':
      return waitsFor('review');
    case 'scheduled':
    case 'screening':
      return waitsFor('workflow');
    case 'queuing':
      return waitsFor(campaign.audience_source === 'warehouse' ? 'import' : 'workflow');
    case 'sending':
      return sendingWaitsFor(campaign, found);
    case 'paused':
      return waitsFor(pausedFor(campaign));
    default: {
      const until = found.counts.unknown > 0 ? reportsUntil(campaign) : undefined;
      if (until === undefined) return waitsFor(null);
      if (until > timestamp()) return waitsFor('unknown_recipients', until);
      return waitsFor(campaign.status === 'partial' ? 'team_to_resend' : null);
    }
  }
}

function sendingWaitsFor(
  { progress, queued_until = '', total_recipients: total }: CampaignItem,
  { counts, rateUntil = '' }: Found,
) {
  const accounted = counts.sent + counts.failed + counts.suppressed + counts.unknown;
  if (accounted >= total && counts.unknown > 0)
    return waitsFor('unknown_recipients', progress ? later(progress.at, openForUnknownSeconds * 1_000) : null);
  if (accounted >= total) return waitsFor('workflow');
  const until = queued_until > rateUntil ? queued_until : rateUntil;
  return until > timestamp() ? waitsFor('send_rate', until) : waitsFor('send_workers');
}

function pausedFor({ paused_by, failure_reason }: CampaignItem): string {
  if (paused_by === 'quota') return 'daily_quota';
  if (paused_by === 'reputation') return 'reputation';
  if (failure_reason === 'sending_suspended') return 'suspension';
  return failure_reason === 'sending_domain_unverified' ? 'sending_domain' : 'team_to_resume';
}

/** The functions in whose logs its errors are. */
function logsOf({ status }: CampaignItem): string[] {
  if (status === 'draft' || status === 'held') return ['campaigns'];
  if (status === 'scheduled') return ['run-job', 'advance-campaign'];
  if (status === 'screening' || status === 'queuing') return ['advance-campaign', 'run-job'];
  return ['send-page', 'advance-campaign', 'run-job'];
}

/** What an operator needs to know of a campaign's warehouse import. Throws 404. */
export async function showImport(ids: Ids) {
  const campaign = await existing(ids);
  const found = await imports.find(ids.team_id, ids.campaign_id);
  if (!found) throw new NotFound(`import of campaign ${ids.campaign_id}`);
  const { status, source, objects, cursor, started_at, finished_at, rows, bad_rows, accepted } = found;
  const { bucket, prefix, format, query } = source;
  const goesOn = !found.stale && (status === 'reading' || status === 'counting') && campaign.status === 'queuing';
  const waits = status === 'querying' ? 'query' : found.reviewed && campaign.status === 'held' ? 'review' : null;
  return {
    ...ids,
    status,
    campaign_status: campaign.status,
    stale: found.stale ?? false,
    since: finished_at ?? started_at,
    ...waitsFor(goesOn ? 'workflow' : waits),
    source: query === undefined ? { bucket, prefix, format } : { query },
    objects,
    reading: status === 'reading' ? { object: cursor.object + 1, line: cursor.line } : null,
    rows,
    bad_rows,
    problems: found.problems.slice(0, 5),
    addresses: accepted,
    last_error: found.failure_reason ?? null,
    logs: ['advance-campaign'],
  };
}
