import type { WebhookMessage } from '../../aws/queue.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { isEnded } from '../../data/webhooks/erasures.ts';
import * as slots from '../../data/webhooks/slots.ts';
import { timestamp } from '../../domain/time.ts';
import { hostOf } from '../../domain/webhooks/public-address.ts';
import { attempt } from './attempt.ts';
import { keepForRetry } from './retry-runs.ts';

/** Makes the first attempt at a delivery; the workflow makes the others, and all at a degraded or busy endpoint. */
export async function deliver(message: WebhookMessage): Promise<void> {
  const { team_id: teamId, webhook_id, event_id, type, body } = message;
  const endpoint = await webhooks.find(teamId, webhook_id);
  const delivery = { event_id, type, body };
  if (!endpoint?.is_active || (await isEnded(teamId, delivery))) return;
  const slot = webhooks.isDegraded(endpoint) ? undefined : await acquireSoon(teamId, endpoint);
  if (slot === undefined) return keepForRetry(teamId, webhook_id, delivery, { attempt: 1, next_at: timestamp() });
  const { next } = await attempt(teamId, endpoint, delivery, 1, slot);
  if (next) await keepForRetry(teamId, webhook_id, delivery, next);
}

/** Acquires a slot, with short waits while the host is busy; undefined when none becomes free. */
async function acquireSoon(teamId: number, { id, url }: webhooks.WebhookItem): Promise<number | undefined> {
  for (let tries = 1; ; tries++) {
    const acquired = await slots.acquire(teamId, hostOf(url));
    if (acquired.slot !== undefined) return acquired.slot;
    if (tries === 4 || slots.isStuck(acquired.idleMs)) return undefined;
    const endpoint = await webhooks.find(teamId, id);
    if (!endpoint || webhooks.isDegraded(endpoint)) return undefined;
    await new Promise((resolve) => setTimeout(resolve, (50 + Math.random() * 100) * tries));
  }
}
