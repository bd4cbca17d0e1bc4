import { claimName, claimText } from './domain-claim.ts';

/** What a DNS record is for. */
export const dnsPurposes = ['dkim', 'mail_from', 'dmarc', 'ownership'] as const;

/** A DNS record to publish, ready to paste. */
export interface DnsRecord {
  type: 'CNAME' | 'MX' | 'TXT';
  name: string;
  value: string;
  priority: number | null;
  purpose: (typeof dnsPurposes)[number];
}

/** What the records of a domain depend on. */
export interface DnsNeeds {
  domain: string;
  dkimTokens: readonly string[];
  /** SES's zone with the keys of the tokens; regions differ. */
  dkimZone: string;
  /** The envelope sender's domain, so that SPF aligns with the domain. */
  mailFrom: string;
  /** The token that shows that the domain is the team's; absent for a domain from before there were any. */
  claim?: string;
  /** Whether a DMARC policy applies already, which a weaker one on the domain would override. */
  hasDmarc?: boolean;
  region: string;
}

const text = (name: string, value: string, purpose: DnsRecord['purpose']): DnsRecord => ({
  type: 'TXT',
  name,
  value,
  priority: null,
  purpose,
});

/** The records for Easy DKIM, an aligned MAIL FROM, a first DMARC policy that only monitors, and the team's claim. */
export function dnsRecords(needs: DnsNeeds): DnsRecord[] {
  const { domain, dkimTokens, dkimZone, mailFrom, claim, hasDmarc, region } = needs;
  const bounces = `feedback-smtp.${region}.amazonses.com`;
  return [
    ...dkimTokens.map(
      (token): DnsRecord => ({
        type: 'CNAME',
        name: `${token}._domainkey.${domain}`,
        value: `${token}.${dkimZone}`,
        priority: null,
        purpose: 'dkim',
      }),
    ),
    { type: 'MX', name: mailFrom, value: bounces, priority: 10, purpose: 'mail_from' },
    text(mailFrom, 'v=spf1 include:amazonses.com ~all', 'mail_from'),
    ...(hasDmarc ? [] : [text(`_dmarc.${domain}`, 'v=DMARC1; p=none;', 'dmarc')]),
    ...(claim === undefined ? [] : [text(claimName(domain), claimText(claim), 'ownership')]),
  ];
}
