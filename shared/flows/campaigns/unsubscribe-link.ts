import { pageByNumber } from '../../data/campaigns/page-results.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { signingKey } from '../../data/signing-key.ts';
import { openToken, signToken } from '../../domain/signed-token.ts';

/** The recipient of an unsubscribe link; campaign 0 is a test, null a sequence. An erased one has no `email`. */
export interface Reader {
  teamId: number;
  campaignId: number | null;
  email?: string;
  contact_id: number | null;
  unsubscribed: boolean;
}

/** An unsubscribe link's token: it names the contact or, without one, the recipient's place. */
export function unsubscribeToken(
  key: Buffer,
  teamId: number,
  campaignId: number,
  { contact_id, page, index }: { contact_id: number; page: number; index: number },
): string {
  return contact_id === 0
    ? signToken(key, 'unsubscribe_place', [teamId, campaignId, page, index])
    : signToken(key, 'unsubscribe', [teamId, campaignId, contact_id]);
}

/** The recipient of a token; undefined when the token is invalid. */
export async function readerOf(token: string): Promise<Reader | undefined> {
  const key = await signingKey();
  const ids = openToken(key, 'unsubscribe', token);
  if (ids) {
    const [teamId, campaignId, contactId] = ids as [number, number, number];
    // A deleted contact counts: after it is restored, the unsubscribed person must not be mailed.
    const contact = await contacts.findStored(teamId, contactId);
    return { teamId, campaignId, ...asReader(contact) };
  }
  const ofSequence = openToken(key, 'sequence', token);
  if (ofSequence) {
    const [teamId, , contactId] = ofSequence as [number, number, number];
    return { teamId, campaignId: null, ...asReader(await contacts.findStored(teamId, contactId)) };
  }
  const place = openToken(key, 'unsubscribe_place', token);
  if (!place) return undefined;
  const [teamId, campaignId, page, index] = place as [number, number, number, number];
  return { teamId, campaignId, ...(await readerAt(teamId, campaignId, page, index)) };
}

type Person = Omit<Reader, 'teamId' | 'campaignId'>;

const asReader = (contact: contacts.ContactItem | undefined): Person =>
  contact
    ? { email: contact.email, contact_id: contact.id, unsubscribed: contact.status === 'unsubscribed' }
    : { contact_id: null, unsubscribed: false };

/** The recipient at a place of the snapshot: none after an erasure; the contact, if the address has become one. */
async function readerAt(teamId: number, campaignId: number, page: number, index: number): Promise<Person> {
  const found = await pageByNumber(teamId, campaignId, page);
  const email = found?.recipients[index]?.email;
  if (!email) return asReader(undefined);
  const [contact, suppression] = await Promise.all([
    contacts.findStored(teamId, email),
    suppressions.find(teamId, email),
  ]);
  if (contact) return asReader(contact);
  return { email, contact_id: null, unsubscribed: suppression?.reason === 'unsubscribe' };
}
