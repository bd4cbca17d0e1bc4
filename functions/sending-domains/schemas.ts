import * as z from 'zod';
import * as domains from '../../shared/data/teams/sending-domains.ts';
import { domainFault } from '../../shared/domain/email-address.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { dnsPurposes } from '../../shared/domain/teams/dns-records.ts';
import { mailFromSubdomain, time } from '../../shared/http/schemas.ts';

/** A domain name, in lower case and without the root's dot. */
const domainName = z
  .string()
  .transform((name) => name.trim().toLowerCase().replace(/\.$/, ''))
  .superRefine((name, context) => {
    const fault = domainFault(name);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({ type: 'string', format: 'hostname' });

/** What creation takes. */
export const sendingDomainInput = z
  .object({
    domain: domainName,
    mail_from_subdomain: mailFromSubdomain
      .nullish()
      .describe('The subdomain of the envelope sender, where bounces go; without it as before, at first `mail`'),
  })
  .superRefine(({ domain, mail_from_subdomain }, context) => {
    if (`${mail_from_subdomain ?? 'mail'}.${domain}`.length > 253)
      context.addIssue({ code: 'custom', path: ['domain'], message: 'too long for a MAIL FROM subdomain' });
  })
  .meta({ id: 'SendingDomainInput' });

/** `{domain}` in a path. */
export const domainParams = z.object({ domain: domainName });

const dnsRecord = z
  .object({
    type: z.enum(['CNAME', 'MX', 'TXT']),
    name: z.string(),
    value: z.string(),
    priority: z.int().nullable(),
    purpose: z.enum(dnsPurposes),
  })
  .meta({ id: 'DnsRecord' });

/** A sending domain in a response. */
export const sendingDomain = z
  .object({
    domain: z.string(),
    status: z.enum(['pending', 'verified', 'failed']),
    records: z.array(dnsRecord),
    created_at: time,
    verified_at: time.nullable(),
  })
  .meta({ id: 'SendingDomain' });

/** The team's domain that a path names, or 404. */
export const domainOf = async (teamId: number, { domain }: { domain: string }): Promise<domains.DomainItem> =>
  orNotFound(await domains.find(teamId, domain), 'sending domain');
