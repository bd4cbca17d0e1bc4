import { config } from '../../aws/config.ts';
import { type Answer, dial } from '../../aws/dial.ts';
import { log, logFailure } from '../../aws/log.ts';
import { queueWebhookLater, type WebhookMessage } from '../../aws/queue.ts';
import { type RetryInput, retriesRun, startRetries } from '../../aws/workflow.ts';
import * as due from '../../data/due-jobs.ts';
import * as deliveries from '../../data/webhooks/deliveries.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { isEnded, isErased } from '../../data/webhooks/erasures.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { signatureHeader, signatureOf } from '../../domain/webhooks/signatures.ts';
import { pauseAfter, statusFault } from '../../domain/webhooks/webhook-event.ts';

const minute = 60_000;
const gone = 410;

const secondsFromNow = (seconds: number): string => timestamp(Date.now() + seconds * 1000);

/** What a run of the workflow does next. */
export type Next = { next: 'done' } | { next: 'wait'; wait_seconds: number };

/** Makes the first attempt at a delivery; the workflow makes the others, and all attempts at a degraded endpoint. */
export async function deliver(message: WebhookMessage): Promise<void> {
  const { team_id: teamId, webhook_id, event_id, type, body } = message;
  const endpoint = await webhooks.find(teamId, webhook_id);
  const delivery = { event_id, type, body };
  if (!endpoint?.is_active || (await isEnded(teamId, delivery))) return;
  if (webhooks.isDegraded(endpoint))
    return beginRetries(teamId, webhook_id, delivery, { attempt: 1, next_at: timestamp() });
  if (!(await acquireSoon(teamId, webhook_id))) {
    const waitMs = await reserve(teamId, webhook_id);
    return queueWebhookLater(message, waitMs / 1000);
  }
  const pauseSeconds = await attempt(teamId, endpoint, delivery, 1);
  if (pauseSeconds !== undefined)
    await beginRetries(teamId, webhook_id, delivery, { attempt: 2, next_at: secondsFromNow(pauseSeconds) });
}

/** Acquires a slot, with short waits while the endpoint is busy: the shortest delay of a queue is a whole second. */
async function acquireSoon(teamId: number, id: number): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    if (await webhooks.acquireSlot(teamId, id)) return true;
    const endpoint = tries < 4 && (await webhooks.find(teamId, id));
    if (!endpoint || webhooks.isStuck(endpoint)) return false;
    await new Promise((resolve) => setTimeout(resolve, (50 + Math.random() * 100) * tries));
  }
}

/** Reserves a slot; returns the milliseconds until then. */
async function reserve(teamId: number, id: number): Promise<number> {
  const endpoint = await webhooks.find(teamId, id);
  return endpoint ? webhooks.reserveSlot(teamId, endpoint) : 0;
}

/** Makes the next attempt if it is due, and returns what the run does next; a delivery to an inactive endpoint ends. */
export async function retry({ team_id: teamId, webhook_id, event_id }: RetryInput): Promise<Next> {
  const [item, endpoint] = await Promise.all([
    deliveries.findRetry(teamId, webhook_id, event_id),
    webhooks.find(teamId, webhook_id),
  ]);
  if (!item) return { next: 'done' };
  if (!endpoint?.is_active) return end(item);
  const early = Date.parse(item.next_at) - Date.now();
  if (early > 0) return waitFor(early);
  if (await isEnded(teamId, item)) return end(item);
  if (!(await webhooks.acquireSlot(teamId, webhook_id))) {
    const waitMs = await reserve(teamId, webhook_id);
    await deliveries.reschedule(item, { attempt: item.attempt, next_at: secondsFromNow(waitMs / 1000) });
    return waitFor(waitMs);
  }
  const pauseSeconds = await attempt(teamId, endpoint, item, item.attempt);
  if (pauseSeconds === undefined) return end(item);
  await deliveries.reschedule(item, { attempt: item.attempt + 1, next_at: secondsFromNow(pauseSeconds) });
  return waitFor(pauseSeconds * 1000);
}

async function end(item: deliveries.RetryItem): Promise<Next> {
  await deliveries.endRetries(item);
  return { next: 'done' };
}

const waitFor = (ms: number): Next => ({ next: 'wait', wait_seconds: Math.max(1, Math.ceil(ms / 1000)) });

/** Makes one attempt and records it; returns the seconds until the next one, undefined when there is none. */
async function attempt(
  teamId: number,
  endpoint: webhooks.WebhookItem,
  delivery: deliveries.Delivery,
  number: number,
): Promise<number | undefined> {
  const startedAt = performance.now();
  const answer = await call(endpoint, delivery);
  const ms = Math.round(performance.now() - startedAt);
  const error = answer.error ?? statusFault(answer.status!);
  const succeeded = error === undefined;
  const pause = pauseAfter(number);
  const attempted = {
    response_status: answer.status,
    response_body: answer.body,
    attempt: number,
    succeeded,
    error: error ?? null,
  };
  await deliveries.note(teamId, endpoint.id, delivery, attempted, await isErased(teamId, delivery));
  const refused = answer.status === gone;
  await webhooks.endAttempt(
    teamId,
    endpoint.id,
    succeeded ? { succeeded, ms } : { succeeded, ms, gone: refused, last: pause === undefined },
  );
  const { event_id } = delivery;
  log.info('webhook', { team_id: teamId, webhook_id: endpoint.id, event_id, attempt: number, error });
  return succeeded || refused || (await isEnded(teamId, delivery)) ? undefined : pause;
}

function call(endpoint: webhooks.WebhookItem, { event_id, type, body }: deliveries.Delivery): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Mailwright-Webhooks/1.0',
    [signatureHeader]: signatureOf(webhooks.secretsOf(endpoint), body, epochSeconds()),
    'Service-Event-Id': event_id,
    'Service-Event-Type': type,
  };
  return dial({ url: endpoint.url, headers, body }, { allowLoopback: config.webhookAllowLoopback });
}

const runName = (teamId: number, webhookId: number, eventId: string, run: number): string =>
  `team-${teamId}-webhook-${webhookId}-${eventId}-${run}`;

/** How often the deliveries of an endpoint are checked. */
const checkMs = 5 * minute;
/** An attempt that is this late has lost its run. */
const lateMs = 2 * minute;
const restartsAtOnce = 50;

/** When the next check is due: the deliveries that begin in the same minutes share one job. */
const nextCheck = (): Date => new Date((Math.floor(Date.now() / checkMs) + 1) * checkMs);

const scheduled = new Map<string, number>();

/** Hands a delivery to the workflow. The job comes first: from then on it restarts a lost run. */
async function beginRetries(
  teamId: number,
  webhookId: number,
  delivery: deliveries.Delivery,
  next: { attempt: number; next_at: string },
): Promise<void> {
  const check = nextCheck();
  const name = `${teamId}/${webhookId}`;
  if (scheduled.get(name) !== check.getTime()) {
    await due.schedule({ kind: 'webhook', team_id: teamId, webhook_id: webhookId }, check);
    if (scheduled.size > 1_000) scheduled.clear();
    scheduled.set(name, check.getTime());
  }
  await deliveries.begin(teamId, webhookId, delivery, next);
  try {
    await startRun(teamId, webhookId, delivery.event_id, 1);
  } catch (error) {
    const { event_id } = delivery;
    logFailure('webhook workflow not started', error, { team_id: teamId, webhook_id: webhookId, event_id }, 'warn');
  }
}

const startRun = (teamId: number, webhookId: number, eventId: string, run: number): Promise<void> =>
  startRetries(runName(teamId, webhookId, eventId, run), { team_id: teamId, webhook_id: webhookId, event_id: eventId });

/** Restarts overdue deliveries; while any is open, the endpoint is checked again. */
export async function restartRetries(
  job: { team_id: number; webhook_id: number; cursor?: string },
  deadline: number,
): Promise<due.Next> {
  const { team_id: teamId, webhook_id: webhookId } = job;
  const before = timestamp(Date.now() - lateMs);
  for (let after = job.cursor; ; ) {
    const late = await deliveries.overdue(teamId, webhookId, before, restartsAtOnce, after);
    if (late.length === 0) break;
    for (const item of late) await restart(teamId, webhookId, item);
    after = late.at(-1)!.gsi1sk;
    if (Date.now() > deadline) return { afterMs: 0, cursor: after };
  }
  if ((await deliveries.countRetries(teamId, webhookId, 1)) === 0) return undefined;
  // The deliveries that begin until then have scheduled the same job.
  await due.schedule({ kind: 'webhook', team_id: teamId, webhook_id: webhookId }, nextCheck());
  return undefined;
}

async function restart(teamId: number, webhookId: number, item: deliveries.RetryItem): Promise<void> {
  if (await retriesRun(runName(teamId, webhookId, item.event_id, item.run))) return;
  const taken = await deliveries.nextRun(item);
  if (taken) await startRun(teamId, webhookId, item.event_id, taken.run);
}
