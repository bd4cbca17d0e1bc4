import { config } from '../../aws/config.ts';
import { signingKey } from '../../data/signing-key.ts';
import * as teams from '../../data/teams/teams.ts';
import * as invitations from '../../data/waitlists/invitations.ts';
import * as signups from '../../data/waitlists/signups.ts';
import * as waitlists from '../../data/waitlists/waitlists.ts';
import type { DomainEvent } from '../../domain/domain-event.ts';
import type { ServiceMessage } from '../../domain/messages/service-message.ts';
import { serviceName } from '../../domain/messages/service-name.ts';
import { signToken } from '../../domain/signed-token.ts';
import { type RetryDelay, senderName, sendServiceMessage } from '../messages/send-service-message.ts';

/** Sends the invitation of a signup, once per invitation. */
export async function inviteSignup(teamId: number, event: DomainEvent): Promise<RetryDelay> {
  if (event.type !== 'waitlist.invited') return undefined;
  const { waitlist_id, signup_id } = event;
  const [team, waitlist, signup] = await Promise.all([
    teams.find(teamId),
    waitlists.find(teamId, waitlist_id),
    signups.find(teamId, waitlist_id, signup_id),
  ]);
  if (!team || !waitlist || signup?.status !== 'invited') return undefined;
  const token = signToken(await signingKey(), 'invitation', [teamId, waitlist_id, signup_id]);
  const url = `${config.baseUrl}/w/${waitlist.slug}/${token}`;
  const name = serviceName(waitlist.name, 'the waitlist');
  return sendServiceMessage(team, signup.email, message(senderName(team), name, signup.email, url), {
    as: { kind: 'invitation', waitlist_id },
    unsubscribable: true,
    claim: invitations.claim(teamId, signup),
    release: () => invitations.release(teamId, signup),
  });
}

const message = (team: string, waitlist: string, email: string, url: string): ServiceMessage => ({
  subject: `You are invited to ${waitlist}`,
  heading: `You are invited to ${waitlist}`,
  paragraphs: ['Thank you for waiting: it is your turn.', `${team} has kept a place for ${email}.`],
  button: { label: 'Accept the invitation', url },
  footer:
    `You get this message because this address is on ${team}'s waitlist. ` +
    'You did not sign up? Then just ignore it.',
});
