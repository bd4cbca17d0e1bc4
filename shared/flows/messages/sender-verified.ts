import { findIdentity } from '../../aws/identities.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import { domainOf } from '../../domain/email-address.ts';

const cachedMs = 5 * 60_000;
const verifiedUntil = new Map<string, number>();

/**
 * Whether an address is on a domain of the team that SES has verified. SES allows one such call a second, so a positive
 * answer is cached for five minutes, and kept while SES does not answer.
 */
export async function senderVerified(teamId: number, from: string | null | undefined): Promise<boolean> {
  const domain = from && domainOf(from);
  const owned = domain && (await domains.find(teamId, domain));
  return owned ? askSes(teamId, owned) : false;
}

async function askSes(teamId: number, { domain, status, created_at }: domains.DomainItem): Promise<boolean> {
  // A domain that was removed and added again has to be verified again.
  const cacheKey = `${teamId}/${domain}/${created_at}`;
  const known = verifiedUntil.get(cacheKey);
  if (known !== undefined && known > Date.now()) return true;
  try {
    const identity = await findIdentity(domain);
    verifiedUntil.delete(cacheKey);
    if (identity?.status !== 'verified') return false;
    verifiedUntil.set(cacheKey, Date.now() + cachedMs);
    if (status !== 'verified') await domains.note(teamId, domain, identity);
    return true;
  } catch (error) {
    if (known !== undefined || status === 'verified') return true;
    throw error;
  }
}
