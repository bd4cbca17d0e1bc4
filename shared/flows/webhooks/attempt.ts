import { config } from '../../aws/config.ts';
import { type Answer, dial } from '../../aws/dial.ts';
import { log } from '../../aws/log.ts';
import * as deliveries from '../../data/webhooks/deliveries.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { isEnded, isErased } from '../../data/webhooks/erasures.ts';
import type { NextAttempt } from '../../data/webhooks/retries.ts';
import { secretsOf } from '../../data/webhooks/secrets.ts';
import * as slots from '../../data/webhooks/slots.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { hostOf } from '../../domain/webhooks/public-address.ts';
import { pauseAfter } from '../../domain/webhooks/retry-pace.ts';
import { signatureHeader, signatureOf } from '../../domain/webhooks/signatures.ts';
import { statusFault } from '../../domain/webhooks/webhook-event.ts';

const gone = 410;

/** What became of an attempt. */
export interface Outcome {
  accepted: boolean;
  /** The attempt that follows; undefined when there is none. */
  next?: NextAttempt;
  /** The endpoint after the attempt; undefined when it is deleted. */
  endpoint: webhooks.WebhookItem | undefined;
}

/** Makes one attempt in a slot that is acquired, records it and frees the slot. */
export async function attempt(
  teamId: number,
  endpoint: webhooks.WebhookItem,
  delivery: deliveries.Delivery,
  number: number,
  slot: number,
): Promise<Outcome> {
  const startedAt = performance.now();
  const answer = await call(endpoint, await secretsOf(teamId, endpoint), delivery);
  const ms = Math.round(performance.now() - startedAt);
  const error = answer.error ?? statusFault(answer.status!);
  const accepted = error === undefined;
  const pause = pauseAfter(number);
  const attempted = {
    response_status: answer.status,
    response_body: answer.body,
    attempt: number,
    succeeded: accepted,
    error: error ?? null,
  };
  await deliveries.note(teamId, endpoint.id, delivery, attempted, await isErased(teamId, delivery));
  const refused = answer.status === gone;
  const ending: webhooks.AttemptEnd = accepted
    ? { succeeded: true, ms }
    : { succeeded: false, ms, gone: refused, last: pause === undefined };
  const [after] = await Promise.all([
    webhooks.endAttempt(teamId, endpoint, ending),
    slots.release(teamId, hostOf(endpoint.url), slot, ms),
  ]);
  const { event_id } = delivery;
  log.info('webhook', { team_id: teamId, webhook_id: endpoint.id, event_id, attempt: number, error });
  const ended = accepted || refused || pause === undefined || (await isEnded(teamId, delivery));
  const next = ended ? undefined : { attempt: number + 1, next_at: timestamp(Date.now() + pause * 1000) };
  return { accepted, next, endpoint: after };
}

function call(
  { url }: webhooks.WebhookItem,
  secrets: readonly string[],
  { event_id, type, body }: deliveries.Delivery,
): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Mailwright-Webhooks/1.0',
    [signatureHeader]: signatureOf(secrets, body, epochSeconds()),
    'Service-Event-Id': event_id,
    'Service-Event-Type': type,
  };
  return dial({ url, headers, body }, { allowLoopback: config.webhookAllowLoopback });
}
