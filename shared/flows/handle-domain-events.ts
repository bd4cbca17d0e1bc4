import { log } from '../aws/log.ts';
import { type DomainEventsMessage, queueDomainEventsLater } from '../aws/queue.ts';
import type { DomainEvent } from '../domain/domain-event.ts';
import { confirmOptIn } from './messages/confirm-opt-in.ts';
import type { RetryDelay } from './messages/send-service-message.ts';
import { publishWebhookEvents } from './publish-webhook-events.ts';
import { leaveSequences } from './sequences/leave.ts';
import { runTriggers } from './sequences/run-triggers.ts';
import { inviteSignup } from './waitlists/invite-signup.ts';
import { mailPlace } from './waitlists/mail-place.ts';

/** What handles a domain event; each may get one twice, and returns after how many milliseconds to call it again. */
const handlers: ((teamId: number, event: DomainEvent) => Promise<RetryDelay>)[] = [
  confirmOptIn,
  inviteSignup,
  mailPlace,
  leaveSequences,
];

/** Handles the domain events of a message; those that must wait, or for which the time is up, are queued again. */
export async function handleDomainEvents(message: DomainEventsMessage, deadline: number): Promise<void> {
  const { team_id, notices: events, at, told: published } = message;
  if (!published) await publishWebhookEvents(message, deadline);
  const left: DomainEvent[] = [];
  const handled: DomainEvent[] = [];
  let retryInMs = 0;
  for (const event of events) {
    const inTime = Date.now() <= deadline;
    if (inTime) handled.push(event);
    const waits = inTime ? await handle(team_id, event) : 1_000;
    if (waits === undefined) continue;
    left.push(event);
    retryInMs = Math.max(retryInMs, waits);
  }
  for (const [type, some] of Map.groupBy(handled, (event) => event.type))
    log.info('domain events', { type, domain_event_ids: some.map(({ id }) => id), team_id });
  if (!published) await runTriggers(team_id, events);
  if (left.length > 0) await queueDomainEventsLater({ team_id, notices: left, at, told: true }, retryInMs / 1000);
}

async function handle(teamId: number, event: DomainEvent): Promise<RetryDelay> {
  const waits = await Promise.all(handlers.map((handler) => handler(teamId, event)));
  return waits.reduce((longest, next) => (next === undefined ? longest : Math.max(longest ?? 0, next)), undefined);
}
