import { randomUUID } from 'node:crypto';
import { log } from '../../aws/log.ts';
import { queueShardLater, queueShards, type ShardMessage } from '../../aws/queue.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import type { Page } from '../../data/sequences/shards.ts';
import * as lanes from '../../data/sequences/shards.ts';
import * as steps from '../../data/sequences/steps.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import type { TeamItem } from '../../data/teams/teams.ts';
import * as teams from '../../data/teams/teams.ts';
import * as usage from '../../data/teams/usage.ts';
import type { Step } from '../../domain/sequences/sequence.ts';
import { allowancePeriod } from '../../domain/teams/plans.ts';
import { timestamp } from '../../domain/time.ts';
import { senderVerified } from '../messages/sender-verified.ts';
import { waitForRate } from '../messages/wait-for-rate.ts';
import { checkDue, type Mail } from './check-due.ts';
import { deliverSteps } from './deliver-steps.ts';
import { settlePage } from './move-subscribers.ts';

/** SES takes as many messages in one call. */
const pageSize = 50;
const pauseSeconds = 5;
/** How long a lane rests that cannot send for a reason which only time or a person mends. */
const restSeconds = 15 * 60;

/** Where a lane goes on: at once, or after so many seconds; `after` says behind whom. Undefined where nobody is due any more. */
type Onward = { delaySeconds: number; after?: string | undefined } | undefined;

/**
 * Sends the next page of those who are due on a lane, and hands the lane on. At most one page of a lane is open: it is claimed, with the
 * allowance, right before the provider is called, and whoever is on it has moved on before the next. What a dead worker left is taken for sent.
 */
export async function sendSteps(message: ShardMessage): Promise<void> {
  const { team_id: teamId, sequence_id: sequenceId, token } = message;
  const place = { teamId, sequenceId, lane: message.lane };
  const lane = await lanes.find(place);
  if (lane.token !== token) return;
  const onward = lane.page ? await settleOpen(message, lane.page) : await goOn(message);
  if (!onward) return lanes.end(place, token);
  const next = await lanes.pass(place, token, onward.delaySeconds);
  if (!next) return;
  const passed = { ...message, token: next, after: onward.after };
  if (onward.delaySeconds > 0) await queueShardLater(passed, onward.delaySeconds);
  else await queueShards([passed]);
}

/** Settles a page that somebody has left open, once it surely is not being sent any more. */
async function settleOpen({ team_id: teamId, sequence_id: sequenceId, lane, after }: ShardMessage, page: Page) {
  const left = Date.parse(page.lease_until) - Date.now();
  if (left > 0) return { delaySeconds: left / 1000, after };
  log.warn('page of a sequence left open', { team_id: teamId, sequence_id: sequenceId });
  const { steps: list } = await steps.find(teamId, sequenceId);
  const emails = page.entries.map(({ email }) => email);
  await settlePage({ teamId, sequenceId, steps: list }, page, await subscribers.batch(teamId, sequenceId, emails));
  await lanes.close({ teamId, sequenceId, lane }, page);
  return { delaySeconds: 0, after };
}

async function goOn(message: ShardMessage): Promise<Onward> {
  const { team_id: teamId, sequence_id: sequenceId, lane, after } = message;
  const due = await subscribers.dueNow(teamId, sequenceId, lane, { after, limit: pageSize });
  if (due.length === 0) return undefined;
  const comeBackInMs = await waitForRate(due.length);
  if (comeBackInMs !== undefined) return { delaySeconds: (comeBackInMs / 1000) * (1 + Math.random()), after };
  const [sequence, { steps: list }, team] = await Promise.all([
    sequences.find(teamId, sequenceId),
    steps.find(teamId, sequenceId),
    teams.find(teamId),
  ]);
  if (sequence?.status !== 'active' || !team) return undefined;
  if (team.suspended_at || !(await senderVerified(teamId, sequence.from_email))) return { delaySeconds: restSeconds };
  const mails = await checkDue(
    { teamId, sequenceId, steps: list },
    due.map(({ email }) => email),
  );
  if (!mails) return { delaySeconds: pauseSeconds, after };
  const affordable = mails.slice(0, (await usage.emailsLeft(teamId, team.plan)) ?? mails.length);
  const outcome = affordable.length > 0 ? await sendPage(message, { sequence, team, steps: list }, affordable) : 'done';
  if (outcome === 'quota') return { delaySeconds: restSeconds };
  if (outcome === 'later') return { delaySeconds: pauseSeconds, after };
  // The month's emails are used up: whoever is still due waits for the next month's.
  if (affordable.length < mails.length) return { delaySeconds: restSeconds };
  return { delaySeconds: 0, after: due.at(-1)!.place };
}

interface Surroundings {
  sequence: sequences.SequenceItem;
  team: TeamItem;
  steps: readonly Step[];
}

/** Claims a page, calls the provider, and moves everybody on; `later` when some, or all, were not sent and are to be tried again. */
async function sendPage(
  { lane, token }: ShardMessage,
  { sequence, team, steps: list }: Surroundings,
  mails: readonly Mail[],
): Promise<'done' | 'later' | 'quota'> {
  const place = { teamId: team.id, sequenceId: sequence.id, lane };
  const now = Date.now();
  const page: Page = {
    claim_id: randomUUID(),
    claimed_at: timestamp(now),
    lease_until: timestamp(now + lanes.leaseSeconds * 1000),
    entries: mails.map(({ email, step, subscriber: { moves } }) => ({ email, step_id: step.id, moves })),
  };
  const month = allowancePeriod(new Date(now));
  const taken = usage.takeEmails(team.id, team.plan, month, mails.length);
  if (!(await lanes.claim(place, token, page, taken))) return 'later';
  const { outcomes, obstacle } = await deliverSteps(team.id, sequence, mails);
  const noted = { ...page, entries: page.entries.map((entry, index) => ({ ...entry, outcome: outcomes[index]! })) };
  const unsent = outcomes.filter(({ status }) => status !== 'sent').length;
  const back = unsent > 0 ? [usage.addEmails(team.id, month, -unsent)] : [];
  // The lease may have run out meanwhile: then everybody was taken for sent.
  if (!(await lanes.noteOutcomes(place, noted, back))) return 'done';
  const rows = mails.map(({ subscriber }) => subscriber);
  await settlePage({ teamId: team.id, sequenceId: sequence.id, steps: list }, noted, rows);
  await lanes.close(place, noted);
  if (!obstacle) return 'done';
  return obstacle === 'quota' ? 'quota' : 'later';
}
