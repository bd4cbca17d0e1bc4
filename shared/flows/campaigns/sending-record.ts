import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as log from '../../data/campaigns/send-log.ts';
import * as tombstones from '../../data/campaigns/tombstones.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as directOutcomes from '../../data/messages/direct-outcomes.ts';
import * as teams from '../../data/teams/teams.ts';
import { blockedByReputation, isJudged, type Outcome, recordDays, sumOf } from '../../domain/campaigns/reputation.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { timestamp } from '../../domain/time.ts';

const concurrency = 8;
/** Sends of a week that are judged: more than one a minute. The oldest of more than these no longer matter. */
const maxJudged = 10_000;
/** The newest sends are judged by their counters of this moment; older ones were noted minutes after their feedback. */
const judgedNow = 50;
/** Campaigns from before there was a log that are noted whatever the time, and how long a request then goes on. */
const notedAtOnce = 400;
const requestMs = 500;
/** A verdict on a team's last week counts for this long, unless a bounce or a complaint comes. */
const verdictMs = 60_000;

const weekAgo = (): string => timestamp(Date.now() - recordDays * 86_400_000);

const nothing: Outcome = { sent: 0, bounced: 0, complained: 0 };

/** A campaign's counter of accepted messages as it was at a time. */
interface SentCounter {
  sent: number;
  at: string;
}

/** The outcome of a campaign's messages so far, with the counter of accepted ones if it is already read. */
export async function outcomeOf(teamId: number, campaignId: number, read?: SentCounter): Promise<Outcome> {
  const [{ sent }, { bounced, complained }] = await Promise.all([
    read ?? sendCounters.counts(teamId, campaignId),
    engagement.counts(teamId, campaignId),
  ]);
  return { sent, bounced, complained };
}

/** A campaign, deleted or not; without `frozen_at` it has not been sent, without `ended_at` it may still be. */
interface Send {
  id: number;
  frozen_at?: string;
  ended_at?: string;
  final?: { sent: number };
}

/** Notes a send's outcome in the team's log, which gates and screening read. It may run twice, or late. */
export async function noteSend(
  teamId: number,
  { id, frozen_at, ended_at }: Send,
  read?: SentCounter,
): Promise<Outcome> {
  if (frozen_at === undefined) return nothing;
  const at = read?.at ?? timestamp();
  const outcome = await outcomeOf(teamId, id, read);
  await log.note(teamId, { id, frozen_at, ended_at, ...outcome }, at);
  if (ended_at !== undefined) await log.noteLargest(teamId, outcome.sent);
  return outcome;
}

/** The same for a campaign that may be deleted. */
export async function noteOutcome(teamId: number, id: number): Promise<void> {
  const [campaign, tombstone] = await Promise.all([campaigns.find(teamId, id), tombstones.find(teamId, id)]);
  const send = campaign ? { ...campaign, ended_at: tombstones.endedBy(campaign) } : tombstone;
  if (send) await noteSend(teamId, send);
}

/** Notes the week's sends from before there was a log, and the largest of all, newest first; false at the deadline. */
async function noteEarlier(teamId: number, deadline: number): Promise<boolean> {
  const noted = await log.notedUpTo(teamId);
  if (noted === 'all') return true;
  const since = weekAgo();
  let some: Send[] = [];
  const noteSome = async () => {
    const sent = await concurrently(some, concurrency, async (send) => {
      if (send.frozen_at === undefined) return 0;
      if (send.frozen_at >= since) return (await noteSend(teamId, send)).sent;
      return (send.final ?? (await sendCounters.counts(teamId, send.id))).sent;
    });
    await log.noteLargest(teamId, Math.max(0, ...sent));
  };
  for await (const campaign of tombstones.before(teamId, noted)) {
    some.push(campaign);
    if (some.length < notedAtOnce) continue;
    await noteSome();
    some = [];
    if (Date.now() < deadline) continue;
    await log.setNotedUpTo(teamId, campaign.id);
    return false;
  }
  await noteSome();
  await log.setNotedUpTo(teamId, 'all');
  return true;
}

/** The outcome of the campaigns that a team began to send in the last days, deleted ones included. */
export async function weekOf(teamId: number): Promise<Outcome> {
  await noteEarlier(teamId, Date.now() + requestMs);
  const sends = await log.since(teamId, weekAgo(), maxJudged);
  const newest = sends.slice(0, judgedNow);
  const counts = await engagement.countsOf(
    teamId,
    newest.map(({ id }) => id),
    { eventual: false },
  );
  const now = await concurrently(newest, concurrency, async ({ id, sent, ended_at }, index) => ({
    sent: ended_at === undefined ? (await sendCounters.counts(teamId, id)).sent : sent,
    bounced: counts[index]!.bounced,
    complained: counts[index]!.complained,
  }));
  return [...now, ...sends.slice(judgedNow)].reduce<Outcome>(sumOf, nothing);
}

/** Whether a team may send nothing now because of what became of its messages, whatever way they were sent. */
export async function isBlocked({ id, bad_feedback, verdict }: teams.TeamItem): Promise<boolean> {
  const known = verdict?.bad_feedback === (bad_feedback ?? 0);
  if (known && Date.now() < Date.parse(verdict.judged_at) + verdictMs) return verdict.blocked;
  const judged_at = timestamp();
  const [campaigns, direct] = await Promise.all([weekOf(id), directOutcomes.since(id, weekAgo())]);
  const week = sumOf(campaigns, direct);
  const blocked = blockedByReputation(week);
  // A team with few messages is judged each time: the next message may be the one from which it counts.
  if (isJudged(week)) await teams.noteVerdict(id, { blocked, judged_at, bad_feedback: bad_feedback ?? 0 });
  return blocked;
}

/** The number of messages in a team's largest send; undefined when the deadline passed before that is known. */
export async function largestSend(teamId: number, deadline: number): Promise<number | undefined> {
  if (!(await noteEarlier(teamId, deadline))) return undefined;
  const [over, newest] = await Promise.all([log.largest(teamId), log.since(teamId, ' ', judgedNow)]);
  return Math.max(over, ...newest.map(({ sent }) => sent));
}
