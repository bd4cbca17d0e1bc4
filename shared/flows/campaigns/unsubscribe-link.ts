import { pageByNumber } from '../../data/campaigns/page-results.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { signingKey } from '../../data/signing-key.ts';
import { openToken, signToken } from '../../domain/signed-token.ts';

/** Who opened an unsubscribe link; campaign 0 is a test message's, null a sequence's. Without `email` there is nobody left to unsubscribe. */
export interface Reader {
  teamId: number;
  campaignId: number | null;
  email?: string;
  contact_id: number | null;
  unsubscribed: boolean;
}

/** The token of a recipient's unsubscribe link: it names the contact or, where there is none, the recipient's place in the campaign. */
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

/** The reader that a token names; undefined when it is no unsubscribe token of ours. */
export async function readerOf(token: string): Promise<Reader | undefined> {
  const key = await signingKey();
  const ids = openToken(key, 'unsubscribe', token);
  if (ids) {
    const [teamId, campaignId, contactId] = ids as [number, number, number];
    // A deleted contact counts: who restores it must not mail a person who has unsubscribed meanwhile.
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

/** Who is at a place of a frozen audience: nobody once erased; a contact where the address has become one. */
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
