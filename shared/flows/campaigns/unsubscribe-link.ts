import { pageByNumber } from '../../data/campaigns/page-results.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { withSigningKeys } from '../../data/signing-key.ts';
import { sealToken, unsealToken } from '../../domain/address-token.ts';
import { openToken } from '../../domain/signed-token.ts';

/** The recipient of an unsubscribe link. */
export interface Reader {
  teamId: number;
  /** 0 in a test message; null in a sequence or service message, and where the campaign knows the recipient no more. */
  campaignId: number | null;
  /** Absent in a link of an earlier version, which names a contact or recipient that was erased since. */
  email?: string;
  contact_id: number | null;
  unsubscribed: boolean;
}

/** An unsubscribe link's token: its address, and the contact or, without one, the recipient's place. */
export function unsubscribeToken(
  key: Buffer,
  teamId: number,
  campaignId: number,
  { email, contact_id, page, index }: { email: string; contact_id: number; page: number; index: number },
): string {
  return contact_id === 0
    ? sealToken(key, 'unsubscribe_place', [teamId, campaignId, page, index], email)
    : sealToken(key, 'unsubscribe', [teamId, campaignId, contact_id], email);
}

/** The recipient of a token; undefined when the token is invalid. */
export function readerOf(token: string): Promise<Reader | undefined> {
  return withSigningKeys('unsubscribe', (key) => readerBy(key, token));
}

async function readerBy(key: Buffer, token: string): Promise<Reader | undefined> {
  const ofContact = unsealToken(key, 'unsubscribe', token);
  if (ofContact) {
    const [teamId, campaignId, contactId] = ofContact.ids as [number, number, number];
    const reader = await inTeam(teamId, ofContact.email);
    return { ...reader, campaignId: reader.contact_id === contactId ? campaignId : null };
  }
  const ofOther = unsealToken(key, 'sequence', token) ?? unsealToken(key, 'service', token);
  if (ofOther) return { campaignId: null, ...(await inTeam(ofOther.ids[0]!, ofOther.email)) };
  const ofPlace = unsealToken(key, 'unsubscribe_place', token);
  if (ofPlace) {
    const [teamId, campaignId, page, index] = ofPlace.ids as [number, number, number, number];
    const known = (await emailAt(teamId, campaignId, page, index)) === ofPlace.email;
    return { campaignId: known ? campaignId : null, ...(await inTeam(teamId, ofPlace.email)) };
  }
  return earlierReaderOf(key, token);
}

/** The recipient of a link of an earlier version, which carries no address. */
async function earlierReaderOf(key: Buffer, token: string): Promise<Reader | undefined> {
  const ids = openToken(key, 'unsubscribe', token);
  if (ids) {
    const [teamId, campaignId, contactId] = ids as [number, number, number];
    return { teamId, campaignId, ...asReader(await contacts.findStored(teamId, contactId)) };
  }
  const ofSequence = openToken(key, 'sequence', token);
  if (ofSequence) {
    const [teamId, , contactId] = ofSequence as [number, number, number];
    return { teamId, campaignId: null, ...asReader(await contacts.findStored(teamId, contactId)) };
  }
  const place = openToken(key, 'unsubscribe_place', token);
  if (!place) return undefined;
  const [teamId, campaignId, page, index] = place as [number, number, number, number];
  const email = await emailAt(teamId, campaignId, page, index);
  return { teamId, campaignId, ...(email ? await readerWith(teamId, email) : asReader(undefined)) };
}

type Person = Omit<Reader, 'teamId' | 'campaignId'>;

/** A deleted contact counts: after it is restored, the unsubscribed person must not be mailed. */
const asReader = (contact: contacts.ContactItem | undefined): Person =>
  contact
    ? { email: contact.email, contact_id: contact.id, unsubscribed: contact.status === 'unsubscribed' }
    : { contact_id: null, unsubscribed: false };

const inTeam = async (teamId: number, email: string) => ({ teamId, ...(await readerWith(teamId, email)) });

/** The contact that has the address now, whichever that is, or the address alone. */
async function readerWith(teamId: number, email: string): Promise<Person & { email: string }> {
  const [contact, suppression] = await Promise.all([
    contacts.findStored(teamId, email),
    suppressions.find(teamId, email),
  ]);
  if (contact) return { ...asReader(contact), email };
  return { email, contact_id: null, unsubscribed: suppression?.reason === 'unsubscribe' };
}

/** The address at a place of the snapshot; none after an erasure. */
const emailAt = async (teamId: number, campaignId: number, page: number, index: number) =>
  (await pageByNumber(teamId, campaignId, page))?.recipients[index]?.email || undefined;
