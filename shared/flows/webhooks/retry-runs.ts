import { logFailure } from '../../aws/log.ts';
import { retriesRun, startRetries, stopRetries } from '../../aws/workflow.ts';
import * as due from '../../data/due-jobs.ts';
import type { Delivery } from '../../data/webhooks/deliveries.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import * as retries from '../../data/webhooks/retries.ts';
import * as runs from '../../data/webhooks/retry-runs.ts';
import { timestamp } from '../../domain/time.ts';

const minute = 60_000;
/** How often the retries of an endpoint are checked at most. */
const checkMs = 5 * minute;
/** A retry that is this late may have lost its run. */
const lateMs = 2 * minute;
const endedAtOnce = 100;

/** The name of the execution that is a run of an endpoint's retries. */
export const runName = (teamId: number, webhookId: number, run: number): string =>
  `team-${teamId}-webhook-${webhookId}-${run}`;

/** When a retry that is due at a time is checked: those of the same minutes share one job. */
const checkOf = (dueAt: string): Date =>
  new Date((Math.floor(Math.max(Date.now(), Date.parse(dueAt) + lateMs) / checkMs) + 1) * checkMs);

const scheduled = new Map<string, number>();

/** Keeps a delivery for its next attempt. The job comes first: from then on it replaces a run that is lost. */
export async function keepForRetry(
  teamId: number,
  webhookId: number,
  delivery: Delivery,
  next: retries.NextAttempt,
): Promise<void> {
  const check = checkOf(next.next_at);
  const name = `${teamId}/${webhookId}`;
  if (scheduled.get(name) !== check.getTime()) {
    await due.schedule({ kind: 'webhook', team_id: teamId, webhook_id: webhookId }, check);
    if (scheduled.size > 1_000) scheduled.clear();
    scheduled.set(name, check.getTime());
  }
  await retries.keep(teamId, webhookId, delivery, next);
  try {
    await ensureRun(teamId, webhookId, next.next_at);
  } catch (error) {
    const ids = { team_id: teamId, webhook_id: webhookId, event_id: delivery.event_id };
    logFailure('webhook workflow not started', error, ids, 'warn');
  }
}

/** Sees to it that a run looks at an endpoint's retries by a time. */
export async function ensureRun(teamId: number, webhookId: number, dueAt: string): Promise<void> {
  // Read after the retry was written: a run that it shows at work looks for retries once more before it waits.
  const endpoint = await webhooks.find(teamId, webhookId);
  if (endpoint && !runs.covers(endpoint, dueAt)) await replaceRun(teamId, endpoint);
}

/** Starts the next run of an endpoint, unless another worker does; where that fails, its job replaces that run. */
export async function replaceRun(teamId: number, endpoint: webhooks.WebhookItem): Promise<void> {
  const { id, run, run_until } = endpoint;
  const next = await runs.replace(teamId, endpoint);
  if (next === undefined) return;
  await startRetries(runName(teamId, id, next), { team_id: teamId, webhook_id: id });
  // It would find out by itself that it is replaced, but up to ten hours later.
  if (run_until !== undefined && run_until !== runs.over) await stopRetries(runName(teamId, id, run!));
}

/**
 * Replaces a lost run. Ends what is due at an endpoint that is off, and all retries of one that is deleted. While any
 * is open, it is checked again.
 */
export async function checkRetries(
  { team_id: teamId, webhook_id: webhookId }: { team_id: number; webhook_id: number },
  deadline: number,
): Promise<due.Next> {
  const late = timestamp(Date.now() - lateMs);
  let [first] = await retries.upcoming(teamId, webhookId, 1);
  if (first && first.at <= late) {
    const endpoint = await webhooks.find(teamId, webhookId);
    if (!endpoint?.is_active) {
      const before = endpoint ? late : '~';
      first = await endUntil(teamId, webhookId, before, deadline);
      if (first && first.at <= before) return { afterMs: 0 };
    } else if (await isLost(teamId, endpoint)) await replaceRun(teamId, endpoint);
  }
  // The deliveries that are kept until then have scheduled the same job.
  if (first) await due.schedule({ kind: 'webhook', team_id: teamId, webhook_id: webhookId }, checkOf(first.at));
  return undefined;
}

/** Whether nobody looks at the retries of an endpoint that are due. */
const isLost = async (teamId: number, endpoint: webhooks.WebhookItem): Promise<boolean> =>
  !runs.covers(endpoint, timestamp()) || !(await retriesRun(runName(teamId, endpoint.id, endpoint.run!)));

/** Ends the retries of an endpoint that are due by a time, until the deadline; the first that is left. */
async function endUntil(
  teamId: number,
  webhookId: number,
  time: string,
  deadline: number,
): Promise<retries.Upcoming | undefined> {
  for (;;) {
    const found = await retries.upcoming(teamId, webhookId, endedAtOnce);
    const ending = found.filter(({ at }) => at <= time);
    if (ending.length === 0 || Date.now() > deadline) return found[0];
    await Promise.all(ending.map(retries.end));
  }
}
