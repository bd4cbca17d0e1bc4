import { config } from '../../aws/config.ts';
import { type Answer, dial } from '../../aws/dial.ts';
import { log, logFailure } from '../../aws/log.ts';
import { queueWebhookLater, type WebhookMessage } from '../../aws/queue.ts';
import { type RetryInput, retriesRun, startRetries } from '../../aws/workflow.ts';
import * as due from '../../data/due-jobs.ts';
import * as deliveries from '../../data/webhooks/deliveries.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { signatureHeader, signatureOf } from '../../domain/webhooks/signatures.ts';
import { pauseAfter, statusFault } from '../../domain/webhooks/webhook-event.ts';

const minute = 60_000;
const gone = 410;

/** What a run of the workflow does next. */
export type Next = { next: 'done' } | { next: 'wait'; wait_seconds: number };

/**
 * Makes the first attempt at a delivery; what fails goes on in the workflow. So does, from the start, what is for an endpoint that fails
 * or is slow: the workers of the queue are there for those that answer.
 */
export async function deliver(message: WebhookMessage): Promise<void> {
  const { team_id: teamId, webhook_id, event_id, type, body } = message;
  const endpoint = await webhooks.find(teamId, webhook_id);
  if (!endpoint?.is_active) return;
  const delivery = { event_id, type, body };
  if (webhooks.isDegraded(endpoint))
    return beginRetries(teamId, webhook_id, delivery, { attempt: 1, next_at: timestamp() });
  if (!(await turnSoon(teamId, webhook_id))) {
    const waitMs = await comeBackIn(teamId, webhook_id);
    return queueWebhookLater(message, waitMs / 1000);
  }
  const pause = await attempt(teamId, endpoint, delivery, 1);
  if (pause !== undefined)
    await beginRetries(teamId, webhook_id, delivery, { attempt: 2, next_at: timestamp(Date.now() + pause * 1000) });
}

/** Takes a turn, in a moment where the endpoint is only busy: a queue's shortest delay is a whole second. */
async function turnSoon(teamId: number, id: number): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    if (await webhooks.acquireSlot(teamId, id)) return true;
    const endpoint = tries < 4 && (await webhooks.find(teamId, id));
    if (!endpoint || webhooks.isStuck(endpoint)) return false;
    await new Promise((resolve) => setTimeout(resolve, (50 + Math.random() * 100) * tries));
  }
}

/** Books the turn of who finds none free, by how the endpoint is now: the milliseconds until then. */
async function comeBackIn(teamId: number, id: number): Promise<number> {
  const endpoint = await webhooks.find(teamId, id);
  return endpoint ? webhooks.reserveSlot(teamId, endpoint) : 0;
}

/** Makes the next attempt at a delivery when it is due, and says when to come again. Nothing is left to do where the endpoint is gone or switched off. */
export async function retry({ team_id: teamId, webhook_id, event_id }: RetryInput): Promise<Next> {
  const [item, endpoint] = await Promise.all([
    deliveries.findRetry(teamId, webhook_id, event_id),
    webhooks.find(teamId, webhook_id),
  ]);
  if (!item) return { next: 'done' };
  if (!endpoint?.is_active) return end(item);
  const early = Date.parse(item.next_at) - Date.now();
  if (early > 0) return waitFor(early);
  if (!(await webhooks.acquireSlot(teamId, webhook_id))) {
    const waitMs = await comeBackIn(teamId, webhook_id);
    await deliveries.reschedule(item, { attempt: item.attempt, next_at: timestamp(Date.now() + waitMs) });
    return waitFor(waitMs);
  }
  const pause = await attempt(teamId, endpoint, item, item.attempt);
  if (pause === undefined) return end(item);
  await deliveries.reschedule(item, {
    attempt: item.attempt + 1,
    next_at: timestamp(Date.now() + pause * 1000),
  });
  return waitFor(pause * 1000);
}

async function end(item: deliveries.RetryItem): Promise<Next> {
  await deliveries.endRetries(item);
  return { next: 'done' };
}

const waitFor = (ms: number): Next => ({ next: 'wait', wait_seconds: Math.max(1, Math.ceil(ms / 1000)) });

/** Calls the endpoint once and writes down what came of it; the seconds until the next attempt, undefined when there is none. */
async function attempt(
  teamId: number,
  endpoint: webhooks.WebhookItem,
  delivery: deliveries.Delivery,
  number: number,
): Promise<number | undefined> {
  const begun = performance.now();
  const answer = await call(endpoint, delivery);
  const ms = Math.round(performance.now() - begun);
  const error = answer.error ?? statusFault(answer.status!);
  const succeeded = error === undefined;
  const pause = pauseAfter(number);
  await deliveries.note(teamId, endpoint.id, delivery, {
    response_status: answer.status,
    response_body: answer.body,
    attempt: number,
    succeeded,
    error: error ?? null,
  });
  const refused = answer.status === gone;
  await webhooks.endAttempt(
    teamId,
    endpoint.id,
    succeeded ? { succeeded, ms } : { succeeded, ms, gone: refused, last: pause === undefined },
  );
  log.info('webhook', {
    team_id: teamId,
    webhook_id: endpoint.id,
    event_id: delivery.event_id,
    attempt: number,
    error,
  });
  return succeeded || refused ? undefined : pause;
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

/** How often the reconciler looks after the deliveries of an endpoint. */
const lookMs = 5 * minute;
/** An attempt that is late by this much has no run that would make it. */
const lateMs = 2 * minute;
const restartsPerLook = 200;

/** The reminder of an endpoint's open deliveries: one for all that begin within the same minutes. */
const nextLook = (): Date => new Date((Math.floor(Date.now() / lookMs) + 1) * lookMs);

const reminded = new Map<string, number>();

/** Hands a delivery to the workflow. The reminder comes first and the row second: from then on the reconciler makes sure that it goes on. */
async function beginRetries(
  teamId: number,
  webhookId: number,
  delivery: deliveries.Delivery,
  next: { attempt: number; next_at: string },
): Promise<void> {
  const look = nextLook();
  const name = `${teamId}/${webhookId}`;
  if (reminded.get(name) !== look.getTime()) {
    await due.schedule({ kind: 'webhook', team_id: teamId, webhook_id: webhookId }, look);
    if (reminded.size > 1_000) reminded.clear();
    reminded.set(name, look.getTime());
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

/** Starts the attempts that nobody makes any more; says in how many milliseconds to look again, undefined when the endpoint has no open delivery. */
export async function restartRetries(teamId: number, webhookId: number, deadline: number): Promise<number | undefined> {
  const late = await deliveries.overdue(teamId, webhookId, timestamp(Date.now() - lateMs), restartsPerLook);
  for (const item of late) {
    if (Date.now() > deadline) return 0;
    if (await retriesRun(runName(teamId, webhookId, item.event_id, item.run))) continue;
    const taken = await deliveries.nextRun(item);
    if (taken) await startRun(teamId, webhookId, item.event_id, taken.run);
  }
  if (late.length === restartsPerLook) return 0;
  return (await deliveries.anyLeft(teamId, webhookId)) ? nextLook().getTime() - Date.now() : undefined;
}
