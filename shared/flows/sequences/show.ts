import { bookedUntil } from '../../data/messages/send-rate.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as shards from '../../data/sequences/shards.ts';
import * as steps from '../../data/sequences/steps.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import * as teams from '../../data/teams/teams.ts';
import * as usage from '../../data/teams/usage.ts';
import { NotFound } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { teamBlockers } from '../campaigns/team-blockers.ts';
import { senderVerified } from '../messages/sender-verified.ts';

const maxDue = 100;
/** What a team waits for that may send nothing. */
const waitsFor = { abuse_screening_failed: 'better_week', sending_suspended: 'suspension', sandboxed: 'sandbox' };

/** What an operator needs to know of a sequence that does not move; counts up to 100 due subscribers a shard. */
export async function showSequence(ids: { team_id: number; sequence_id: number }) {
  const { team_id, sequence_id } = ids;
  const sequence = await sequences.find(team_id, sequence_id);
  if (!sequence) throw new NotFound(`sequence of this team: ${sequence_id}`);
  const [{ steps: list }, ofShards] = await Promise.all([
    steps.find(team_id, sequence_id),
    Promise.all(Array.from({ length: shards.shardCount }, (_, shard) => showShard(team_id, sequence_id, shard))),
  ]);
  const errors = ofShards.flatMap(({ open_page }) => open_page?.errors ?? []);
  return {
    ...ids,
    status: sequence.status,
    since: sequence.updated_at,
    ...(await waiting(team_id, sequence, ofShards)),
    trigger: sequence.trigger_type,
    steps: list.length,
    enrolled: sequence.subscribers_count,
    /** Messages that SES may or may not have accepted; the subscribers' `unknown_steps` name them. */
    unknown: ofShards.reduce((sum, { unknown }) => sum + unknown, 0),
    shards: ofShards.filter(isInUse),
    last_error: errors[0] ?? null,
    logs: ['send-steps', 'run-job'],
  };
}

/** Most shards of a small sequence are not in use. */
const isInUse = ({ queued_until, next_due_at, unknown, open_page }: Shard): boolean =>
  Boolean(queued_until ?? next_due_at ?? open_page) || unknown > 0;

type Shard = Awaited<ReturnType<typeof showShard>>;

async function showShard(teamId: number, sequenceId: number, shard: number) {
  const [{ token, quiet_until, page, unknown = 0 }, due, next] = await Promise.all([
    shards.find({ teamId, sequenceId, shard }),
    subscribers.dueNow(teamId, sequenceId, shard, { limit: maxDue }),
    subscribers.nextDueAt(teamId, sequenceId, shard),
  ]);
  const errors = page?.entries.flatMap(({ outcome }) => (outcome?.status === 'failed' ? [outcome.error] : [])) ?? [];
  return {
    shard,
    /** Whether a message goes on with it; one that is silent until then is replaced. */
    queued_until: token ? (quiet_until ?? null) : null,
    due: due.length,
    next_due_at: next ?? null,
    unknown,
    open_page: page
      ? { subscribers: page.entries.length, claimed_at: page.claimed_at, claimed_until: page.lease_until, errors }
      : null,
  };
}

async function waiting(teamId: number, sequence: sequences.SequenceItem, ofShards: readonly Shard[]) {
  const waits = (waits_for: string | null, until: string | null = null) => ({ waits_for, until });
  if (sequence.status !== 'active') return waits('team_to_activate');
  const [team, [blocker]] = await Promise.all([teams.find(teamId), teamBlockers(teamId)]);
  if (blocker) return waits(waitsFor[blocker as keyof typeof waitsFor]);
  const next = ofShards.flatMap(({ next_due_at }) => next_due_at ?? []).sort()[0];
  if (next === undefined) return waits('subscribers');
  if (next > timestamp()) return waits('due_time', next);
  if (!(await senderVerified(teamId, sequence.from_email))) return waits('sending_domain');
  if (team && (await usage.emailsLeft(teamId, team.plan)) === 0) return waits('monthly_allowance');
  const rateUntil = await bookedUntil();
  if (rateUntil && rateUntil > timestamp()) return waits('send_rate', rateUntil);
  return ofShards.some(({ queued_until }) => queued_until) ? waits('send_workers') : waits('due_jobs');
}
