import { log } from '../aws/log.ts';
import { type DomainEventsMessage, queueDomainEventsLater } from '../aws/queue.ts';
import * as teams from '../data/teams/teams.ts';
import type { DomainEvent } from '../domain/domain-event.ts';
import { isBlocked } from './campaigns/sending-record.ts';
import { holdMessages } from './hold-messages.ts';
import { confirmOptIn } from './messages/confirm-opt-in.ts';
import { type RetryDelay, untilAllowed } from './messages/send-service-message.ts';
import { publishWebhookEvents } from './publish-webhook-events.ts';
import { leaveSequences } from './sequences/leave.ts';
import { runTriggers } from './sequences/run-triggers.ts';
import { inviteSignup } from './waitlists/invite-signup.ts';
import { mailPlace } from './waitlists/mail-place.ts';

/** What handles a domain event; each may get one twice, and returns after how many milliseconds to call it again. */
type Handler = (teamId: number, event: DomainEvent) => Promise<RetryDelay>;
const handlers: Handler[] = [leaveSequences];
/** Those that send a message, while the team's reputation lets it. */
const senders: Handler[] = [confirmOptIn, inviteSignup, mailPlace];

/** Whether an event asks for a message that is held while the team may not send it. */
const mayBeHeld = (event: DomainEvent): boolean => 'confirm' in event || event.type === 'waitlist.invited';

/** Whether one of the senders sends a message for an event. */
const asksForMessage = (event: DomainEvent): boolean => mayBeHeld(event) || 'mail' in event;

/**
 * Handles the domain events of a message; those that must wait, or for which the time is up, are queued again, and
 * those whose message the team may not send are held.
 */
export async function handleDomainEvents(message: DomainEventsMessage, deadline: number): Promise<void> {
  const { team_id, notices: events, at, told: published } = message;
  if (!published) await publishWebhookEvents(message, deadline);
  const team = events.some(asksForMessage) ? await teams.find(team_id) : undefined;
  const barred = team !== undefined && (await isBlocked(team));
  const left: DomainEvent[] = [];
  const held: DomainEvent[] = [];
  const handled: DomainEvent[] = [];
  let retryInMs = 0;
  for (const event of events) {
    const inTime = Date.now() <= deadline;
    if (inTime) handled.push(event);
    const waits = inTime ? await handle(team_id, event, barred) : 1_000;
    if (waits === untilAllowed) held.push(event);
    if (waits === undefined || waits === untilAllowed) continue;
    left.push(event);
    retryInMs = Math.max(retryInMs, waits);
  }
  for (const [type, some] of Map.groupBy(handled, (event) => event.type))
    log.info('domain events', { type, domain_event_ids: some.map(({ id }) => id), team_id });
  if (!published) await runTriggers(team_id, events);
  if (held.length > 0) await holdMessages(team_id, held, at);
  if (left.length > 0) await queueDomainEventsLater({ team_id, notices: left, at, told: true }, retryInMs / 1000);
}

async function handle(teamId: number, event: DomainEvent, barred: boolean): Promise<RetryDelay> {
  const called = barred ? handlers : [...handlers, ...senders];
  const waits = await Promise.all(called.map((handler) => handler(teamId, event)));
  if (barred && mayBeHeld(event)) waits.push(untilAllowed);
  return waits.reduce((longest, next) => (next === undefined ? longest : Math.max(longest ?? 0, next)), undefined);
}
