/** What a DNS record is for. */
export const dnsPurposes = ['dkim', 'mail_from', 'dmarc'] as const;

/** A DNS record to publish, ready to paste. */
export interface DnsRecord {
  type: 'CNAME' | 'MX' | 'TXT';
  name: string;
  value: string;
  priority: number | null;
  purpose: (typeof dnsPurposes)[number];
}

/** The MAIL FROM subdomain of a domain, so that SPF aligns with it. */
export const mailFromDomain = (domain: string): string => `mail.${domain}`;

/** The records for Easy DKIM, an aligned MAIL FROM, and a first DMARC policy (RFC 7489) that only monitors. */
export function dnsRecords(domain: string, dkimTokens: readonly string[], region: string): DnsRecord[] {
  const mailFrom = mailFromDomain(domain);
  return [
    ...dkimTokens.map(
      (token): DnsRecord => ({
        type: 'CNAME',
        name: `${token}._domainkey.${domain}`,
        value: `${token}.dkim.amazonses.com`,
        priority: null,
        purpose: 'dkim',
      }),
    ),
    {
      type: 'MX',
      name: mailFrom,
      value: `feedback-smtp.${region}.amazonses.com`,
      priority: 10,
      purpose: 'mail_from',
    },
    { type: 'TXT', name: mailFrom, value: 'v=spf1 include:amazonses.com ~all', priority: null, purpose: 'mail_from' },
    { type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none;', priority: null, purpose: 'dmarc' },
  ];
}
