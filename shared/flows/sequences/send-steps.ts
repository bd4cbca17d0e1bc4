import { randomUUID } from 'node:crypto';
import { log } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import { queueShardLater, queueShards, type ShardMessage } from '../../aws/queue.ts';
import { reportedStep } from '../../data/events/of-address.ts';
import { counting } from '../../data/messages/direct-outcomes.ts';
import { readSending, type Sending } from '../../data/sequences/sending.ts';
import type { SequenceItem } from '../../data/sequences/sequences.ts';
import * as shards from '../../data/sequences/shards.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import type { TeamItem } from '../../data/teams/teams.ts';
import * as usage from '../../data/teams/usage.ts';
import { concurrently } from '../../domain/concurrently.ts';
import type { Step } from '../../domain/sequences/sequence.ts';
import { allowancePeriod } from '../../domain/teams/plans.ts';
import { timestamp } from '../../domain/time.ts';
import { teamBlockers } from '../campaigns/team-blockers.ts';
import { accountLimits } from '../messages/account-limits.ts';
import { doubtSender, senderVerified } from '../messages/sender-verified.ts';
import { acquireRate } from '../messages/wait-for-rate.ts';
import { checkDue, type Mail } from './check-due.ts';
import { deliverSteps } from './deliver-steps.ts';
import { settlePage } from './move-subscribers.ts';

const retrySeconds = 5;
const concurrency = 16;
/** The delay of a shard that only time or the team's action can unblock. */
const blockedSeconds = 15 * 60;

/** How far the provider's clock may be behind. */
const clockSkewMs = 60_000;

/** When a shard continues, after which place and with which reservation; undefined when no subscriber is due. */
type Continuation = { delaySeconds: number; after?: string | undefined; at?: number | undefined } | undefined;

/**
 * Sends the next page of a shard and queues the shard's next message. A shard has at most one open page: the page is
 * claimed, with the allowance, right before the provider is called, and settled before the next one. The messages of a
 * page that a crashed worker left are unknown unless the provider has reported on them, and are not sent again.
 */
export async function sendSteps(message: ShardMessage): Promise<void> {
  const { team_id: teamId, sequence_id: sequenceId, token } = message;
  const shard = { teamId, sequenceId, shard: message.lane };
  const sending = await readSending(shard);
  const { page, token: stored } = sending.shard;
  if (!shards.hasTurn(sending.shard, message)) return;
  const continuation = page ? await settleOpen(message, page, sending.steps) : await sendNext(message, sending);
  if (!continuation) return stored === token ? shards.end(shard, token) : undefined;
  const { delaySeconds, after, at } = continuation;
  const next = await shards.pass(shard, message, delaySeconds);
  if (!next) return;
  const later = { ...message, token: next, begins: undefined, after, at };
  if (delaySeconds > 0) await queueShardLater(later, delaySeconds);
  else await queueShards([later]);
}

/** Settles a page with messages of unknown outcome, after its lease. */
async function settleOpen(message: ShardMessage, page: shards.Page, list: readonly Step[]): Promise<Continuation> {
  const { team_id: teamId, sequence_id: sequenceId, lane: shard, after } = message;
  const left = Date.parse(page.lease_until) - Date.now();
  if (left > 0) return { delaySeconds: left / 1000, after };
  log.warn('page of a sequence left open', { team_id: teamId, sequence_id: sequenceId });
  const entries = await concurrently(page.entries, concurrency, (entry) => withReport(teamId, sequenceId, page, entry));
  const known = { ...page, entries };
  const emails = entries.map(({ email }) => email);
  await settlePage({ teamId, sequenceId, steps: list }, known, await subscribers.batch(teamId, sequenceId, emails));
  await shards.close({ teamId, sequenceId, shard }, known);
  return { delaySeconds: 0, after };
}

/** An entry of a page with its outcome, where the provider has reported on a message whose outcome is unknown. */
async function withReport(
  teamId: number,
  sequenceId: number,
  { claimed_at }: shards.Page,
  entry: shards.PageEntry,
): Promise<shards.PageEntry> {
  const since = timestamp(Date.parse(claimed_at) - clockSkewMs);
  const message = { sequenceId, stepId: entry.step_id, since };
  if (entry.outcome || !(await reportedStep(teamId, entry.email, message))) return entry;
  return { ...entry, outcome: { status: 'sent' } };
}

async function sendNext(message: ShardMessage, sending: Sending): Promise<Continuation> {
  const { team_id: teamId, sequence_id: sequenceId, lane: shard, after } = message;
  const limit = mailer.callSize(await accountLimits());
  const due = await subscribers.dueNow(teamId, sequenceId, shard, { after, limit });
  if (due.length === 0) return undefined;
  const emails = due.map(({ email }) => email);
  // Before the rate is reserved, so that a sequence that may not send takes none from others.
  const checked = await check(message, sending, emails);
  if ('next' in checked) return checked.next;
  const { context, mails, othersWait } = checked;
  const slot = mails.length > 0 ? await acquireRate('sequence', mails.length, message.at) : undefined;
  if (slot && 'delaySeconds' in slot) return { ...slot, after };
  const outcome = mails.length > 0 ? await sendPage(message, context, mails) : 'done';
  if (outcome === 'later') return { delaySeconds: retrySeconds, after };
  if (outcome === 'open') return { delaySeconds: shards.leaseSeconds, after };
  if (outcome === 'blocked' || othersWait) return { delaySeconds: blockedSeconds };
  return { delaySeconds: 0, after: due.at(-1)!.place };
}

/** The messages that may be sent; `othersWait` when the allowance ends before them. Else how the shard continues. */
async function check(
  { team_id: teamId, sequence_id: sequenceId, after }: ShardMessage,
  { sequence, steps: list, team, shard: { spent: spentBefore } }: Sending,
  emails: readonly string[],
): Promise<{ context: PageContext; mails: Mail[]; othersWait: boolean } | { next: Continuation }> {
  if (sequence?.status !== 'active' || !team) return { next: undefined };
  if ((await teamBlockers(teamId)).length > 0 || !(await senderVerified(teamId, sequence.from_email)))
    return { next: { delaySeconds: blockedSeconds } };
  const due = await checkDue({ teamId, sequenceId, steps: list }, emails);
  if (!due) return { next: { delaySeconds: retrySeconds, after } };
  const mails = due.slice(0, (await usage.emailsLeft(teamId, team.plan)) ?? due.length);
  return { context: { sequence, team, steps: list, spentBefore }, mails, othersWait: mails.length < due.length };
}

/** What the messages of a page have in common. */
interface PageContext {
  sequence: SequenceItem;
  team: TeamItem;
  steps: readonly Step[];
  /** Who had claimed the shard's last page before the subscribers were read. */
  spentBefore: string | undefined;
}

/**
 * Claims a page, calls the provider and moves the subscribers. `later` when unsent messages have to be retried,
 * `blocked` when they wait for the account or the sender's domain; `open` when the provider may have accepted some.
 */
async function sendPage(
  message: ShardMessage,
  { sequence, team, steps: list, spentBefore }: PageContext,
  mails: readonly Mail[],
): Promise<'done' | 'later' | 'blocked' | 'open'> {
  const shard = { teamId: team.id, sequenceId: sequence.id, shard: message.lane };
  const now = Date.now();
  const page: shards.Page = {
    claim_id: randomUUID(),
    claimed_at: timestamp(now),
    lease_until: timestamp(now + shards.leaseSeconds * 1000),
    entries: mails.map(({ email, step, subscriber: { moves } }) => ({ email, step_id: step.id, moves })),
  };
  const month = allowancePeriod(new Date(now));
  const allowance = usage.taking(team.id, team.plan, month, 'emails', mails.length);
  if (!(await shards.claim(shard, { ...message, spentBefore }, page, allowance))) return 'later';
  const { outcomes, obstacle } = await deliverSteps(team.id, sequence, mails);
  const noted = { ...page, entries: page.entries.map((entry, index) => ({ ...entry, outcome: outcomes[index] })) };
  const unsent = outcomes.filter((outcome) => outcome && outcome.status !== 'sent').length;
  const sent = outcomes.filter((outcome) => outcome?.status === 'sent').length;
  const counts = [
    ...(unsent > 0 ? [usage.adding(team.id, month, 'emails', -unsent)] : []),
    ...(sent > 0 ? [counting(team.id, { sent })] : []),
  ];
  if (obstacle === 'unverified') await doubtSender(team.id, sequence.from_email);
  // After the lease another worker has settled the page.
  if (!(await shards.noteOutcomes(shard, noted, counts))) return 'done';
  // The page is settled when its lease has ended, by what the provider has reported until then.
  if (outcomes.includes(undefined)) return 'open';
  const rows = mails.map(({ subscriber }) => subscriber);
  await settlePage({ teamId: team.id, sequenceId: sequence.id, steps: list }, noted, rows);
  await shards.close(shard, noted);
  if (!obstacle) return 'done';
  return obstacle === 'throttled' ? 'later' : 'blocked';
}
