import { config } from '../../aws/config.ts';
import * as identities from '../../aws/identities.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import { NotApplicable } from '../../domain/errors.ts';
import { type DnsRecord, dnsRecords, mailFromDomain } from '../../domain/teams/dns-records.ts';

/** A team's sending domain with its status at SES and the DNS records to publish. */
export interface SendingDomain {
  domain: string;
  status: domains.DomainItem['status'];
  records: DnsRecord[];
  created_at: string;
  verified_at: string | null;
}

/** Adds a domain to a team and asks SES to verify it; idempotent. Throws 422 when it is another team's. */
export async function addSendingDomain(teamId: number, domain: string): Promise<SendingDomain> {
  if (!(await domains.claim(teamId, domain))) throw new NotApplicable(`${domain} belongs to another team.`);
  await identities.createIdentity(domain);
  await identities.setMailFrom(domain, mailFromDomain(domain));
  return showSendingDomain(teamId, (await domains.find(teamId, domain))!);
}

/** Updates a domain's status from SES and returns the domain; when SES is too busy, the stored status counts. */
export async function showSendingDomain(teamId: number, item: domains.DomainItem): Promise<SendingDomain> {
  const said = await askSes(item);
  const same = said.status === item.status && said.dkimTokens.join() === item.dkim_tokens?.join();
  const {
    domain,
    created_at,
    verified_at = null,
  } = same ? item : ((await domains.note(teamId, item.domain, said)) ?? item);
  const { status, dkimTokens } = said;
  return { domain, status, records: dnsRecords(domain, dkimTokens, config.region), created_at, verified_at };
}

async function askSes({ domain, status, dkim_tokens }: domains.DomainItem) {
  try {
    return (
      (await identities.findIdentity(domain, dkim_tokens ? undefined : 'patiently')) ?? {
        status: 'failed' as const,
        dkimTokens: [],
      }
    );
  } catch (error) {
    if (!dkim_tokens) throw error;
    return { status, dkimTokens: dkim_tokens };
  }
}

/** Removes a domain from a team and from SES; any team may then add it. */
export async function removeSendingDomain(teamId: number, domain: string): Promise<void> {
  await identities.deleteIdentity(domain);
  await domains.release(teamId, domain);
}
