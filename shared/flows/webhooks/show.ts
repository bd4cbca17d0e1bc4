import * as deliveries from '../../data/webhooks/deliveries.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import * as retries from '../../data/webhooks/retries.ts';
import * as slots from '../../data/webhooks/slots.ts';
import { NotFound } from '../../domain/errors.ts';
import { hostOf } from '../../domain/webhooks/public-address.ts';
import { runName } from './retry-runs.ts';

const [shownRetries, maxCounted] = [5, 1_000];

/** What an operator needs to know of a webhook endpoint; counts 1,000 pending deliveries at most. Throws 404. */
export async function showWebhook(ids: { team_id: number; webhook_id: number }) {
  const { team_id, webhook_id } = ids;
  const endpoint = await webhooks.find(team_id, webhook_id);
  if (!endpoint) throw new NotFound(`webhook of this team: ${webhook_id}`);
  const [pending, underWay, last] = await Promise.all([
    retries.upcoming(team_id, webhook_id, maxCounted),
    slots.underWay(team_id, hostOf(endpoint.url)),
    lastAttempt(team_id, webhook_id),
  ]);
  const shown = await retries.dueBefore(pending.slice(0, shownRetries), '~');
  const next = shown.map(({ event_id, type, attempt, next_at }) => ({ event_id, type, attempt, next_at }));
  const { is_active, url, events, consecutive_failures, exhausted, pace_ms, last_delivered_at } = endpoint;
  return {
    ...ids,
    status: is_active ? (webhooks.isDegraded(endpoint) ? 'degraded' : 'active') : 'off',
    since: endpoint.updated_at,
    waits_for: is_active ? (next.length > 0 ? 'next_attempt' : null) : 'team_to_activate',
    until: is_active ? (next[0]?.next_at ?? null) : null,
    url,
    events,
    consecutive_failures,
    deliveries_given_up: exhausted,
    failing_since: endpoint.failing_since ?? null,
    last_delivered_at: last_delivered_at ?? null,
    last_attempt_ms: pace_ms ?? null,
    attempts_under_way: underWay,
    execution: endpoint.run === undefined ? null : runName(team_id, webhook_id, endpoint.run),
    pending_deliveries: pending.length,
    next_attempts: next,
    last_error: last?.succeeded === false ? last.error : null,
    logs: ['deliver-webhook', 'retry-webhook'],
  };
}

async function lastAttempt(teamId: number, webhookId: number) {
  for await (const row of deliveries.list(teamId, webhookId)('forward', undefined, 1))
    if ('item' in row) return row.item;
  return undefined;
}
