import { textRecords } from '../../aws/dns.ts';
import { findIdentity } from '../../aws/identities.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import { claimName, claimText, dmarcNames, isDmarc } from '../../domain/teams/domain-claim.ts';

const gone: domains.Said = { status: 'failed', dkimTokens: [] };

/** What SES says of a domain, which is not verified before it is the team's. Throws when SES is busy. */
export async function domainStatus(teamId: number, item: domains.DomainItem, how?: 'patiently'): Promise<domains.Said> {
  const said = (await findIdentity(item.domain, how)) ?? gone;
  const own = item.proven_at !== undefined || (await proven(teamId, item, said));
  return own || said.status !== 'verified' ? said : { ...said, status: 'pending' };
}

/** Looks for the team's TXT record; a domain that an earlier version stored is the team's once SES has verified it. */
async function proven(teamId: number, item: domains.DomainItem, { status }: domains.Said): Promise<boolean> {
  const { domain, claim } = item;
  if (claim === undefined) return status === 'verified' && ((await domains.prove(teamId, item)) || true);
  const texts = await textRecords(claimName(domain));
  return texts?.includes(claimText(claim)) === true && domains.prove(teamId, item);
}

/** Whether a DMARC policy applies to a domain, its own or one of a domain above it; undefined when DNS does not say. */
export async function hasDmarc(domain: string): Promise<boolean | undefined> {
  const found = await Promise.all(dmarcNames(domain).map(textRecords));
  if (found.some((texts) => texts?.some(isDmarc))) return true;
  return found.includes(undefined) ? undefined : false;
}
