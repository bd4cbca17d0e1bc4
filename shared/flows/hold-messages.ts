import { log } from '../aws/log.ts';
import * as due from '../data/due-jobs.ts';
import * as teams from '../data/teams/teams.ts';
import * as usage from '../data/teams/usage.ts';
import { type DomainEvent, eventsOf, noAddress, storedEvents } from '../domain/domain-event.ts';
import { allowanceBounds, allowancePeriod } from '../domain/teams/plans.ts';
import { isBlocked } from './campaigns/sending-record.ts';

const hour = 3_600_000;
/** The longest month: with the next one comes its allowance. */
const heldMs = 31 * 24 * hour;

/**
 * Holds the service messages of events that were committed at a time: for an hour, the longer the older they are, half
 * a day at most, and not beyond the month. After 31 days they are given up.
 */
export async function holdMessages(team_id: number, events: readonly DomainEvent[], at: string): Promise<void> {
  const job = heldJob(team_id, events, at);
  if (job) await due.schedule(job, lookAgain(at));
}

/** Whether held messages may be sent now; else they are held on. */
export async function maySendHeld(held: Extract<due.DueJob, { kind: 'notices' }>): Promise<boolean> {
  const { team_id, notices, at, pk, sk } = held;
  const team = await teams.find(team_id);
  if (team && (await usage.emailsLeft(team_id, team.plan)) !== 0 && !(await isBlocked(team))) return true;
  const job = team && heldJob(team_id, eventsOf(notices), at);
  // In one write: a crash in between holds nothing twice.
  if (job) await due.schedule(job, lookAgain(at), { Delete: { Key: { pk, sk } } });
  return false;
}

function lookAgain(at: string): Date {
  const now = Date.now();
  const { end } = allowanceBounds(allowancePeriod(new Date(now)));
  const pause = Math.min(12 * hour, Math.max(hour, now - Date.parse(at)));
  return new Date(Math.min(now + pause, end.getTime()));
}

function heldJob(team_id: number, events: readonly DomainEvent[], at: string): due.Job | undefined {
  const domain_event_ids = events.map(({ id }) => id);
  const givenUp = Date.now() > Date.parse(at) + heldMs;
  log.info(givenUp ? 'service messages given up' : 'service messages held', { team_id, domain_event_ids });
  // An erasure does not find them: they name no address. What changed besides was handled when they were held.
  const nameless = events.map((event) =>
    'email' in event ? { ...event, email: noAddress, status: undefined } : event,
  );
  return givenUp ? undefined : { kind: 'notices', team_id, notices: storedEvents(nameless), at, told: true };
}
