import * as webhooks from '../../data/webhooks/endpoints.ts';
import { isEnded } from '../../data/webhooks/erasures.ts';
import * as retries from '../../data/webhooks/retries.ts';
import * as runs from '../../data/webhooks/retry-runs.ts';
import * as slots from '../../data/webhooks/slots.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { timestamp } from '../../domain/time.ts';
import { hostOf } from '../../domain/webhooks/public-address.ts';
import { firstBatch, nextBatch, pauseWhileDown } from '../../domain/webhooks/retry-pace.ts';
import { attempt } from './attempt.ts';
import { ensureRun, replaceRun, runName } from './retry-runs.ts';

/** What a run of the workflow is given. */
export interface RetryInput {
  team_id: number;
  webhook_id: number;
  /** The name of the execution; absent in one that an earlier version began for a single delivery. */
  execution?: string;
}

/** What a run of the workflow does next. */
export type Next = { next: 'done' | 'continue' } | { next: 'wait'; wait_seconds: number };

/** An execution may have 25,000 events in its history; a step has about ten, and several more when it fails. */
const maxSteps = 500;
/** A run that waits no longer than this announces no wait: what is kept meanwhile can wait, too. */
const shortMs = 5_000;
/** Attempts at once; a quick endpoint has more slots, which are for new deliveries. */
const [slowAtOnce, quickAtOnce] = [10, 25];

const done: Next = { next: 'done' };
const waitFor = (ms: number): Next => ({ next: 'wait', wait_seconds: Math.max(1, Math.ceil(ms / 1000)) });

/** Makes the attempts at an endpoint that are due, oldest first, until the deadline; returns what the run does next. */
export async function retry(input: RetryInput, deadline: number): Promise<Next> {
  const { team_id: teamId, webhook_id: id } = input;
  const endpoint = await webhooks.find(teamId, id);
  if (!endpoint) return done;
  const { run } = endpoint;
  if (run === undefined || input.execution !== runName(teamId, id, run)) return leave(teamId, id);
  const found = await retries.upcoming(teamId, id, firstBatch);
  if (found.length === 0 || found[0]!.at > timestamp()) return wait(teamId, run, endpoint, found[0]?.at);
  const working = await runs.work(teamId, id, run);
  if (!working) return done;
  if (working.run_steps! > maxSteps) {
    await replaceRun(teamId, working);
    return done;
  }
  return drain(teamId, working, found, deadline);
}

/** Ends an execution that is not the endpoint's run. */
async function leave(teamId: number, id: number): Promise<Next> {
  const [first] = await retries.upcoming(teamId, id, 1);
  if (first) await ensureRun(teamId, id, first.at);
  return done;
}

/** Lets the run wait for the next retry, or end without one. It looks once more after it has announced that. */
async function wait(
  teamId: number,
  run: number,
  { id, run_until }: webhooks.WebhookItem,
  until?: string,
): Promise<Next> {
  const ms = until === undefined ? 0 : Date.parse(until) - Date.now();
  if (until !== undefined && ms <= shortMs) return waitFor(ms);
  const announced = until ?? runs.over;
  if (run_until === announced) return until === undefined ? done : waitFor(ms);
  return (await runs.wait(teamId, id, run, announced)) ? waitFor(0) : done;
}

/** Makes the attempts that are due, in batches that grow while they are accepted; stops while the endpoint is down. */
async function drain(
  teamId: number,
  working: webhooks.WebhookItem,
  first: readonly retries.Upcoming[],
  deadline: number,
): Promise<Next> {
  const run = working.run!;
  let endpoint: webhooks.WebhookItem | undefined = working;
  let found = first;
  let down = false;
  for (let size = firstBatch; endpoint.is_active && Date.now() < deadline; ) {
    const now = timestamp();
    const keys = found.filter(({ at }) => at <= now);
    if (keys.length === 0) return wait(teamId, run, endpoint, found[0]?.at);
    const items = await retries.dueBefore(keys, now);
    if (items.length === 0) return waitFor(0);
    if (down) return waitFor(1000 * pauseWhileDown(endpoint.consecutive_failures));
    const batch = await tryAll(teamId, endpoint, items, deadline);
    if (batch.busy) return waitFor(batch.busy === 'stuck' ? shortMs : 0);
    endpoint = batch.endpoint;
    if (endpoint?.run !== run) return done;
    down = batch.tried > 0 && batch.accepted === 0;
    size = nextBatch(size, batch.accepted);
    found = await retries.upcoming(teamId, endpoint.id, size);
  }
  if (endpoint.is_active) return { next: 'continue' };
  await runs.wait(teamId, endpoint.id, run, runs.over);
  return done;
}

/** What became of deliveries that were tried together; `busy`: the host had no free slot, or none soon. */
interface Batch {
  endpoint: webhooks.WebhookItem | undefined;
  tried: number;
  accepted: number;
  busy?: 'busy' | 'stuck';
}

/** Tries deliveries in their order, several at once; throws the first failure when all have ended. */
async function tryAll(
  teamId: number,
  endpoint: webhooks.WebhookItem,
  items: readonly retries.RetryItem[],
  deadline: number,
) {
  const batch: Batch = { endpoint, tried: 0, accepted: 0 };
  const failures: unknown[] = [];
  await concurrently(items, webhooks.isDegraded(endpoint) ? slowAtOnce : quickAtOnce, async (item) => {
    if (batch.busy || Date.now() > deadline || !batch.endpoint?.is_active) return;
    try {
      const outcome = await tryOne(teamId, batch.endpoint, item);
      if (outcome === 'busy' || outcome === 'stuck') batch.busy = outcome;
      if (typeof outcome === 'string') return;
      batch.tried++;
      if (outcome.accepted) batch.accepted++;
      batch.endpoint = outcome.endpoint;
    } catch (error) {
      failures.push(error);
    }
  });
  if (failures.length > 0) throw failures[0];
  return batch;
}

/** Makes the next attempt at a delivery, unless it is over or no slot is free. */
async function tryOne(teamId: number, endpoint: webhooks.WebhookItem, item: retries.RetryItem) {
  if (await isEnded(teamId, item)) {
    await retries.end(item);
    return 'ended';
  }
  const acquired = await slots.acquire(teamId, hostOf(endpoint.url));
  if (acquired.slot === undefined) return slots.isStuck(acquired.idleMs) ? 'stuck' : 'busy';
  const outcome = await attempt(teamId, endpoint, item, item.attempt, acquired.slot);
  await (outcome.next ? retries.reschedule(item, outcome.next) : retries.end(item));
  return outcome;
}
