import type { DueJob } from '../../data/due-jobs.ts';
import * as invitations from '../../data/waitlists/invitations.ts';
import { NotFound } from '../../domain/errors.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

/** Invites wanted signups that may be mailed and returns their ids; a repeated operation continues. Throws 404. */
export async function inviteSignups(
  teamId: number,
  waitlistId: number,
  wanted: invitations.Wanted,
  operationId: string,
): Promise<readonly number[]> {
  const outbox: DueJob[] = [];
  for (let from = 0; ; ) {
    const step = await invitations.invite(teamId, waitlistId, operationId, wanted, from);
    if (!step) throw new NotFound('waitlist');
    outbox.push(...step.outbox);
    if (step.next === undefined) {
      await publishDomainEvents(outbox);
      return step.invited;
    }
    from = step.next;
  }
}
