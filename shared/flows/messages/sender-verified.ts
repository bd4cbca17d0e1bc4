import { findIdentity } from '../../aws/identities.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import { domainOf } from '../../domain/email-address.ts';

const keptMs = 5 * 60_000;
const verifiedUntil = new Map<string, number>();

/**
 * Whether an address is on a domain that is the team's and that SES has verified. SES answers one such question a second (its quotas), so about a
 * verified domain it is asked every five minutes, and taken at its last word where it does not answer.
 */
export async function senderVerified(teamId: number, from: string | null | undefined): Promise<boolean> {
  const domain = from && domainOf(from);
  const owned = domain && (await domains.find(teamId, domain));
  return owned ? askSes(teamId, owned) : false;
}

async function askSes(teamId: number, { domain, status, created_at }: domains.DomainItem): Promise<boolean> {
  // A domain that was removed and added again, by whomever, is another one: SES has to verify it anew.
  const adding = `${teamId}/${domain}/${created_at}`;
  const known = verifiedUntil.get(adding);
  if (known !== undefined && known > Date.now()) return true;
  try {
    const identity = await findIdentity(domain);
    verifiedUntil.delete(adding);
    if (identity?.status !== 'verified') return false;
    verifiedUntil.set(adding, Date.now() + keptMs);
    if (status !== 'verified') await domains.note(teamId, domain, identity);
    return true;
  } catch (error) {
    if (known !== undefined || status === 'verified') return true;
    throw error;
  }
}
