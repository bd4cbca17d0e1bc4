import * as domains from '../../data/teams/sending-domains.ts';
import { domainOf } from '../../domain/email-address.ts';
import { mailboxDomain } from '../../domain/messages/mail-address.ts';
import { domainStatus } from '../teams/domain-status.ts';

const checkedMs = 5 * 60_000;

/**
 * Whether an address is on a domain of the team that SES has verified. SES takes one such call a second from the whole
 * account: it is asked about a verified domain every five minutes, and its last answer counts while it gives none.
 */
export async function senderVerified(teamId: number, from: string | null | undefined): Promise<boolean> {
  const domain = from && domainOf(from);
  const owned = domain && (await domains.find(teamId, domain));
  if (!owned) return false;
  const verified = owned.status === 'verified';
  if (verified && !(await mustCheck(teamId, owned))) return true;
  try {
    const said = await domainStatus(teamId, owned, verified ? undefined : 'patiently');
    if (said.status !== owned.status) await domains.note(teamId, domain, said);
    return said.status === 'verified';
  } catch (error) {
    if (verified) return true;
    throw error;
  }
}

async function mustCheck(teamId: number, domain: domains.DomainItem): Promise<boolean> {
  const checked = domain.checked_at === undefined ? 0 : Date.parse(domain.checked_at);
  return Date.now() > checked + checkedMs && domains.claimCheck(teamId, domain);
}

/** Makes the next check of a sender, which SES has just refused as not verified, ask SES. */
export async function doubtSender(teamId: number, from: string | null | undefined): Promise<void> {
  if (from) await domains.doubt(teamId, mailboxDomain(from));
}
