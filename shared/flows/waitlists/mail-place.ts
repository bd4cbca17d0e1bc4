import { config } from '../../aws/config.ts';
import { signingKey } from '../../data/signing-key.ts';
import * as teams from '../../data/teams/teams.ts';
import { isUnconfirmed } from '../../data/waitlists/referrals.ts';
import * as signups from '../../data/waitlists/signups.ts';
import * as waitlists from '../../data/waitlists/waitlists.ts';
import type { DomainEvent } from '../../domain/domain-event.ts';
import type { ServiceMessage } from '../../domain/messages/service-message.ts';
import { serviceName } from '../../domain/messages/service-name.ts';
import { signToken } from '../../domain/signed-token.ts';
import { placesPerReferral } from '../../domain/waitlists/waitlist.ts';
import { type RetryDelay, senderName, sendServiceMessage } from '../messages/send-service-message.ts';

/** Mails a signup its place and referral link, and the link that confirms its address. The limits are its claim. */
export async function mailPlace(teamId: number, event: DomainEvent): Promise<RetryDelay> {
  if (event.type !== 'waitlist.signup' || !('mail' in event)) return undefined;
  const { waitlist_id, signup_id } = event;
  const [team, waitlist, signup] = await Promise.all([
    teams.find(teamId),
    waitlists.find(teamId, waitlist_id),
    signups.find(teamId, waitlist_id, signup_id),
  ]);
  if (!team || !waitlist || !signup || signup.status === 'removed') return undefined;
  const [placed] = await signups.place(teamId, waitlist_id, waitlist.version, [signup]);
  const token = signToken(await signingKey(), 'place', [teamId, waitlist_id, signup_id]);
  const url = `${config.baseUrl}/w/${waitlist.slug}/${token}`;
  return sendServiceMessage(team, signup.email, message(senderName(team), waitlist, placed!, url), {
    as: { kind: 'place' },
    unsubscribable: true,
  });
}

function message(team: string, waitlist: waitlists.WaitlistItem, placed: signups.Placed, url: string): ServiceMessage {
  const name = serviceName(waitlist.name, 'the waitlist');
  const confirms = isUnconfirmed(placed.signup);
  return {
    subject: `Your place on the waitlist "${name}"`,
    heading: `Your place on ${name}`,
    paragraphs: [
      ...(placed.position === null
        ? ['You no longer wait: the page below shows how it stands.']
        : share(waitlist, placed)),
      ...(confirms ? ['Please confirm that this is your address: then the link that you came by counts.'] : []),
    ],
    button: { label: confirms ? 'Confirm my address' : 'Show my place', url },
    footer: `Somebody gave this address to a waitlist of ${team}. That was not you? Then just ignore this message.`,
  };
}

function share(waitlist: waitlists.WaitlistItem, { signup, position }: signups.Placed): string[] {
  const place = `Your place is ${position}.`;
  if (waitlist.status === 'closed') return [place];
  const link = `${waitlists.publicUrl(waitlist)}?ref=${signup.referral_code}`;
  return [
    place,
    `Each person who signs up with your link and confirms moves you up ${placesPerReferral} places: ${link}`,
  ];
}
