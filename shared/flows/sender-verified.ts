import { findIdentity } from '../aws/identities.ts';
import * as domains from '../data/sending-domains.ts';
import { domainOf } from '../domain/email-address.ts';

const keptMs = 5 * 60_000;
const known = new Map<string, { verified: boolean; until: number }>();

/** Whether an address is on a domain that is the team's and that SES has verified; SES is asked every five minutes, and taken at its last word where it does not answer. */
export async function senderVerified(teamId: number, from: string | undefined): Promise<boolean> {
  const domain = from && domainOf(from);
  const owned = domain && (await domains.find(teamId, domain));
  return owned ? askSes(owned) : false;
}

async function askSes({ domain, status }: domains.DomainItem): Promise<boolean> {
  const last = known.get(domain);
  if (last && last.until > Date.now()) return last.verified;
  try {
    const verified = (await findIdentity(domain))?.status === 'verified';
    known.set(domain, { verified, until: Date.now() + keptMs });
    return verified;
  } catch {
    return last?.verified ?? status === 'verified';
  }
}
