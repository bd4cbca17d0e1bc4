import { log } from '../aws/log.ts';
import { type DomainEventsMessage, queueDomainEventsLater } from '../aws/queue.ts';
import type { DomainEvent } from '../domain/domain-event.ts';
import { confirmOptIn } from './messages/confirm-opt-in.ts';
import type { ComeBack } from './messages/send-service-message.ts';
import { publishWebhookEvents } from './publish-webhook-events.ts';
import { leaveSequences } from './sequences/leave.ts';
import { runTriggers } from './sequences/run-triggers.ts';
import { inviteSignup } from './waitlists/invite-signup.ts';

/** Everybody who reacts to a notice; each may see one twice, and says in how many milliseconds to come again where it could not finish. */
const reactions: ((teamId: number, notice: DomainEvent) => Promise<ComeBack>)[] = [
  confirmOptIn,
  inviteSignup,
  leaveSequences,
];

/** Lets everybody react to the notices of a message; those that must wait, and those for which the time is up, go back to the queue. */
export async function handleDomainEvents(message: DomainEventsMessage, deadline: number): Promise<void> {
  const { team_id, notices, at, told } = message;
  if (!told) await publishWebhookEvents(message, deadline);
  const left: DomainEvent[] = [];
  let comeBackInMs = 0;
  for (const notice of notices) {
    const waits = Date.now() > deadline ? 1_000 : await react(team_id, notice);
    if (waits === undefined) continue;
    left.push(notice);
    comeBackInMs = Math.max(comeBackInMs, waits);
  }
  // What came back has triggered what it does.
  if (!told) await runTriggers(team_id, notices);
  if (left.length > 0) await queueDomainEventsLater({ team_id, notices: left, at, told: true }, comeBackInMs / 1000);
}

async function react(teamId: number, notice: DomainEvent): Promise<ComeBack> {
  const waits = await Promise.all(reactions.map((reaction) => reaction(teamId, notice)));
  log.info('notice', { type: notice.type, notice_id: notice.id, team_id: teamId });
  return waits.reduce((longest, next) => (next === undefined ? longest : Math.max(longest ?? 0, next)), undefined);
}
