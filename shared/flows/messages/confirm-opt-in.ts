import { config } from '../../aws/config.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import { signingKey } from '../../data/signing-key.ts';
import * as teams from '../../data/teams/teams.ts';
import { type DomainEvent, noAddress } from '../../domain/domain-event.ts';
import type { ServiceMessage } from '../../domain/messages/service-message.ts';
import { signToken } from '../../domain/signed-token.ts';
import { type RetryDelay, senderName, sendServiceMessage } from '../messages/send-service-message.ts';

/** Sends a pending contact the request to confirm its subscription, once per request (see askToConfirm). */
export async function confirmOptIn(teamId: number, event: DomainEvent): Promise<RetryDelay> {
  if (!('confirm' in event)) return undefined;
  // A message that was held names no address.
  const { contact_id, email } = event;
  const [contact, team] = await Promise.all([
    contacts.find(teamId, email === noAddress ? contact_id : email),
    teams.find(teamId),
  ]);
  if (!team || contact?.id !== contact_id || contact.status !== 'pending') return undefined;
  const url = `${config.baseUrl}/confirm/${signToken(await signingKey(), 'confirm', [teamId, contact_id])}`;
  return sendServiceMessage(team, contact.email, message(senderName(team), contact.email, url), {
    as: { kind: 'confirmation' },
    claim: contacts.claimConfirmation(teamId, contact),
    release: () => contacts.releaseConfirmation(teamId, contact),
  });
}

const message = (team: string, email: string, url: string): ServiceMessage => ({
  subject: `Please confirm your subscription to "${team}"`,
  heading: 'Please confirm your subscription',
  paragraphs: [`${team} would like to send messages to ${email}. You get them only once you have confirmed.`],
  button: { label: 'Confirm my subscription', url },
  footer: 'You did not sign up? Then just ignore this message: without your confirmation you get nothing more.',
});
