import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as due from '../../data/due-jobs.ts';
import * as clicks from '../../data/events/clicks.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as countedReports from '../../data/reports/counted-reports.ts';
import * as underWay from '../../data/reports/counts-under-way.ts';
import { addClick, addMoments, mostClicked, noTallies } from '../../domain/reports/tallies.ts';
import { timestamp } from '../../domain/time.ts';

type Count = underWay.Count;

/** Rows are counted while somebody waits, for so long; what takes longer a job counts. */
const liveMs = 1_500;
/** A job's count is shown for so long before another is made. */
const freshMs = 10 * 60_000;

/** What the rows of a campaign say; `exact` unless some are not counted, or were counted a while ago. */
export type RowCounts = Omit<countedReports.CountedReport, 'truncated'> & { exact: boolean };

/** The cursor of a job whose count goes on; the position is beside the count, not in the job. */
const goesOn = 'counting';

const beginning = (): Count => ({ walk: 'clicks', counted: noTallies(), begun: timestamp() });

/**
 * Counts a campaign's clicks by link, and with `moments` first opens and clicks by hour, within a time; what takes
 * longer a job counts. Moments are not tried again while a job's count is fresh, links are: they are far fewer rows.
 */
export async function rowCounts(
  teamId: number,
  campaign: campaigns.CampaignItem,
  moments: boolean,
  withinMs = liveMs,
): Promise<RowCounts> {
  const stored = await countedReports.find(teamId, campaign.id);
  const fresh = stored !== undefined && Date.parse(stored.counted_at) > Date.now() - freshMs;
  if (fresh && moments) return { ...stored, exact: false };
  const live = beginning();
  const rest = await count(teamId, campaign, live, Date.now() + withinMs, moments);
  if (rest && !fresh && (await countedReports.ask(teamId, campaign.id)))
    await due.schedule({ kind: 'report', team_id: teamId, campaign_id: campaign.id });
  if (rest && stored) return { ...stored, exact: false };
  const { counted, begun } = rest ?? live;
  return { ...counted, exact: !rest && !counted.truncated, counted_at: begun };
}

/** Counts the rows of a campaign for its reports, from where the last step stopped; stores the counts at the end. */
export async function countReport(job: Extract<due.Job, { kind: 'report' }>, deadline: number): Promise<due.Next> {
  const { team_id: teamId, campaign_id: campaignId } = job;
  const [campaign, begun] = await Promise.all([campaigns.find(teamId, campaignId), underWay.find(teamId, campaignId)]);
  if (!campaign) return underWay.remove(teamId, campaignId).then(() => undefined);
  // The last step died after its end, or another job has ended the count.
  if (!begun && job.cursor === goesOn) return undefined;
  const at = begun ?? beginning();
  const rest = await count(teamId, campaign, at, deadline, true);
  if (rest) {
    await underWay.store(teamId, campaignId, rest);
    return { afterMs: 0, cursor: goesOn };
  }
  const { hours, latest, truncated } = at.counted;
  const links = Object.fromEntries(mostClicked(at.counted));
  await countedReports.store(teamId, campaignId, { links, hours, latest, truncated, counted_at: at.begun });
  await underWay.remove(teamId, campaignId);
  return undefined;
}

/** Adds the rows after a position to a count; the count to go on from at the deadline, undefined at the end. */
async function count(
  teamId: number,
  { id, sent_at }: campaigns.CampaignItem,
  { walk, after, counted, begun }: Count,
  deadline: number,
  moments: boolean,
): Promise<Count | undefined> {
  if (walk === 'clicks')
    for await (const click of clicks.after(teamId, id, after)) {
      addClick(counted, click);
      if (Date.now() > deadline) return { walk, after: click.sk, counted, begun };
    }
  if (!moments || sent_at === null) return undefined;
  const position = walk === 'moments' ? after : undefined;
  for await (const row of engagement.firstMoments(teamId, id, position)) {
    addMoments(counted, new Date(sent_at), row);
    if (Date.now() > deadline) return { walk: 'moments', after: row.sk, counted, begun };
  }
  return undefined;
}
