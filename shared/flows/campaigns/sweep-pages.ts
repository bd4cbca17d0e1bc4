import { type PageMessage, queuePages } from '../../aws/queue.ts';
import type * as campaigns from '../../data/campaigns/campaigns.ts';
import * as pageResults from '../../data/campaigns/page-results.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import { freeAt, shareOfAccountRate } from '../../data/messages/send-rate.ts';
import * as sendShare from '../../data/messages/send-share.ts';
import { letters } from '../../domain/campaigns/recipient-ledger.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { pageSize } from '../../domain/events/place.ts';
import type { AccountLimits } from '../../domain/messages/account-limits.ts';
import { timestamp } from '../../domain/time.ts';
import { patienceMs } from '../messages/wait-for-rate.ts';
import { changeInPhase, toSend } from './ab-test.ts';
import { mendPage } from './settle-page.ts';

type Counted = PageMessage & { count: number };
type Sweep = NonNullable<campaigns.CampaignItem['sweep']>;

const maxPagesPerStep = 200;
const concurrency = 8;

/**
 * Does one step of a sweep: queues what the team can send in so many seconds, each page for its moment, and mends what
 * a dead worker left. The first sweep is the dispatch, later ones mend a stall. A page queued twice is sent once: its
 * claim is conditional. Returns the campaign after it; undefined when it changed, or another one took the share.
 */
export async function sweepPages(
  teamId: number,
  campaign: campaigns.CampaignItem,
  sweep: Sweep,
  share: sendShare.Share,
  account: AccountLimits,
  seconds: number,
): Promise<campaigns.CampaignItem | undefined> {
  const { id } = campaign;
  const perSecond = (account.maxSendRate * shareOfAccountRate) / share.teams;
  const count = Math.max(1, Math.min(maxPagesPerStep, Math.floor((perSecond * seconds) / pageSize)));
  const pages = await recipients.pages(teamId, id, { from: sweep.after || undefined, count });
  const numbers = pages.map(({ number }) => number);
  if (campaign.resent_at) await reopenUnknown(teamId, id, numbers, campaign.resent_at);
  const results = await pageResults.batch(teamId, id, numbers);
  const messages = pages.flatMap((page, index): Counted[] => {
    const unsent = results[index]?.state === 'sending' ? 0 : toSend(campaign, page, results[index]).length;
    if (unsent === 0) return [];
    return [{ team_id: teamId, campaign_id: id, page: page.number, leaf: page.sk, count: unsent }];
  });
  const until = await queueAtPace(teamId, messages, share, perSecond);
  if (until === undefined) return undefined;
  for (const [index, result] of results.entries())
    if (result) await mendPage(teamId, campaign, numbers[index]!, result);
  const queued = sweep.queued + messages.reduce((sum, { count }) => sum + count, 0);
  const over = pages.length < count;
  // A sweep that begins anew queues what was due before.
  const dueBefore = campaign.sweeps || !sweep.after ? campaign.due_since : undefined;
  const swept = {
    sweep: over ? undefined : { ...sweep, after: pages.at(-1)!.sk, queued },
    ...(over && { sweeps: (campaign.sweeps ?? 0) + 1 }),
    queued_until: timestamp(until),
    due_since: dueBefore ?? timestamp(until),
  };
  return changeInPhase(teamId, campaign, swept);
}

/**
 * Queues pages one after another at a team's pace, after what it has queued. Returns the end, in milliseconds since the
 * epoch; undefined when another campaign of the team took the share.
 */
async function queueAtPace(
  teamId: number,
  messages: readonly Counted[],
  share: sendShare.Share,
  perSecond: number,
): Promise<number | undefined> {
  const now = Date.now();
  // What others have reserved meanwhile, such as messages to one person, moves the rest of the campaign.
  const behindMs = Math.max(0, (await freeAt()) - now - patienceMs);
  let end = Math.max(now, share.freeAt ?? 0) + behindMs;
  if (messages.length === 0) return end;
  const starts = messages.map(({ count }) => {
    const start = end;
    end += (count / perSecond) * 1_000;
    return start;
  });
  if (!(await sendShare.take(teamId, share, Math.ceil(end)))) return undefined;
  await queuePages(
    messages,
    // The worker waits for what is due within the second.
    starts.map((start) => (start < now + 1_000 ? 0 : (start - now) / 1_000)),
  );
  return end;
}

/** Opens pages anew whose recipients are unknown since before a time. */
async function reopenUnknown(
  teamId: number,
  campaignId: number,
  pageNumbers: readonly number[],
  resentAt: string,
): Promise<void> {
  const results = await pageResults.batch(teamId, campaignId, pageNumbers);
  await concurrently([...pageNumbers.keys()], concurrency, async (place) => {
    const result = results[place];
    // A page that was claimed since was sent again already: recipients who are unknown on it stay so.
    if (result?.statuses.includes(letters.unknown) && result.lease_until < resentAt)
      await pageResults.reopen(teamId, campaignId, pageNumbers[place]!, result);
  });
}
