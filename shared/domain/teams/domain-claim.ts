/** A team may have so many domains. */
export const maxDomains = 50;
/** A claim that no TXT record has confirmed ends after this. */
export const claimMs = 7 * 86_400_000;

/** The name of the TXT record that shows that a domain is the team's. */
export const claimName = (domain: string): string => `_mailwright.${domain}`;

/** The text of that record. */
export const claimText = (token: string): string => `mailwright-team=${token}`;

/** The domains above a domain, the nearest first, without the top-level one. */
export function parentsOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
}

/** The names that may hold the DMARC policy of a domain (the tree walk of DMARCbis: at most eight lookups). */
export function dmarcNames(domain: string): string[] {
  const labels = domain.split('.');
  const above = labels
    .map((_, index) => labels.slice(index).join('.'))
    .slice(1)
    .slice(-7);
  return [domain, ...above].map((name) => `_dmarc.${name}`);
}

/** Whether a TXT record is a DMARC policy. */
export const isDmarc = (text: string): boolean => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text);
