import { findIdentity, isFor } from '../../aws/identities.ts';
import { isOthers } from '../../data/teams/sending-domains.ts';
import { domainOf } from '../../domain/email-address.ts';

/**
 * Whether SES has verified each address or its domain, for the team or for all; asked one after the other, as SES takes
 * one such call a second. A domain of another team does not count: it would be a way out of the sandbox to its people.
 */
export async function recipientsVerified(teamId: number, emails: readonly string[]): Promise<boolean> {
  const known = new Map<string, boolean>();
  const verified = async (identity: string): Promise<boolean> => {
    const found = known.get(identity) ?? (await isVerified(teamId, identity));
    known.set(identity, found);
    return found;
  };
  for (const email of emails) if (!(await verified(domainOf(email))) && !(await verified(email))) return false;
  return true;
}

async function isVerified(teamId: number, identity: string): Promise<boolean> {
  const found = await findIdentity(identity, 'patiently');
  if (found?.status !== 'verified' || !isFor(teamId, found)) return false;
  // An earlier version has named no team in SES.
  return !(await isOthers(teamId, identity));
}
