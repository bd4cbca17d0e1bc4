import { config } from '../aws/config.ts';
import * as identities from '../aws/identities.ts';
import * as domains from '../data/sending-domains.ts';
import { type DnsRecord, dnsRecords, mailFromDomain } from '../domain/dns-records.ts';
import { NotApplicable } from '../domain/errors.ts';

/** A team's sending domain as SES sees it now, with the DNS records to publish. */
export interface SendingDomain {
  domain: string;
  status: domains.DomainItem['status'];
  records: DnsRecord[];
  created_at: string;
  verified_at: string | null;
}

/** Gives a domain to a team and asks SES to verify it; again for the same team changes nothing. Throws 422 when it is another team's. */
export async function addSendingDomain(teamId: number, domain: string): Promise<SendingDomain> {
  if (!(await domains.claim(teamId, domain))) throw new NotApplicable(`${domain} belongs to another team.`);
  await identities.createIdentity(domain);
  await identities.setMailFrom(domain, mailFromDomain(domain));
  return showSendingDomain(teamId, (await domains.find(teamId, domain))!);
}

/** Asks SES how a domain stands, notes it, and shows it. */
export async function showSendingDomain(teamId: number, item: domains.DomainItem): Promise<SendingDomain> {
  const identity = await identities.findIdentity(item.domain);
  const status = identity?.status ?? 'failed';
  const noted = status === item.status ? item : ((await domains.setStatus(teamId, item.domain, status)) ?? item);
  const { domain, created_at, verified_at = null } = noted;
  return {
    domain,
    status,
    records: dnsRecords(domain, identity?.dkimTokens ?? [], config.region),
    created_at,
    verified_at,
  };
}

/** Takes a domain from a team and from SES: nothing is sent from it any more, and any team may add it. */
export async function removeSendingDomain(teamId: number, domain: string): Promise<void> {
  await identities.deleteIdentity(domain);
  await domains.release(teamId, domain);
}
