import { config } from '../../aws/config.ts';
import * as identities from '../../aws/identities.ts';
import { auditWrite } from '../../data/teams/audit-log.ts';
import { othersAround } from '../../data/teams/domain-tree.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import { type Actor, systemActor } from '../../domain/actor.ts';
import { NotApplicable } from '../../domain/errors.ts';
import { changedFields } from '../../domain/teams/audit.ts';
import { type DnsRecord, dnsRecords } from '../../domain/teams/dns-records.ts';
import { maxDomains } from '../../domain/teams/domain-claim.ts';
import { domainStatus, hasDmarc } from './domain-status.ts';
import { removeSendingDomain } from './remove-domain.ts';

/** The subdomain of MAIL FROM unless the team chose another. */
const standard = 'mail';
/** The zone of the DKIM keys of domains that earlier versions stored, while SES is too busy to say. */
const olderZone = 'dkim.amazonses.com';

/** A team's sending domain with its status at SES and the DNS records to publish. */
export interface SendingDomain {
  domain: string;
  status: domains.DomainItem['status'];
  records: DnsRecord[];
  created_at: string;
  verified_at: string | null;
}

/**
 * Claims a domain for a team and asks SES to verify it; idempotent. Throws 422 when it is another team's, above or
 * below one, or somebody else's identity in the account, and when the team has too many. `mailFrom` is a subdomain.
 */
export async function addSendingDomain(teamId: number, domain: string, by: Actor, mailFrom?: string | null) {
  const claimed = await claim(teamId, domain, by);
  // The identity of a domain from before there were claims has no tags: the stored domain names it.
  if (!(await identities.createIdentity(teamId, domain)) && claimed.claim !== undefined) {
    if (!domains.isProven(claimed)) await domains.withdraw(teamId, claimed, by);
    throw new NotApplicable(
      `${domain} is in this AWS account's SES already and was not added here: ask your operator to remove it there.`,
    );
  }
  const wanted = mailFrom === undefined ? subdomainOf(claimed) : (mailFrom ?? standard);
  const item =
    wanted === subdomainOf(claimed) ? claimed : ((await domains.setMailFrom(teamId, claimed, wanted, by)) ?? claimed);
  await identities.setMailFrom(domain, mailFromOf(item));
  await identities.stopForwarding(domain);
  return showSendingDomain(teamId, item);
}

async function claim(teamId: number, domain: string, by: Actor): Promise<domains.DomainItem> {
  const known = await domains.find(teamId, domain);
  if (known && !domains.hasEnded(known)) return known;
  if (known) await removeSendingDomain(teamId, domain, systemActor());
  if (await othersAround(teamId, domain))
    throw new NotApplicable(`Another team has a domain above or below ${domain}.`);
  const claimed = await domains.claim(teamId, domain, by);
  if (!claimed) throw new NotApplicable(`${domain} belongs to another team.`);
  if (!(await domains.tooMany(teamId))) return claimed;
  await domains.withdraw(teamId, claimed, by);
  throw new NotApplicable(`A team has at most ${maxDomains} sending domains.`);
}

const subdomainOf = ({ mail_from = standard }: domains.DomainItem): string => mail_from;
const mailFromOf = (item: domains.DomainItem): string => `${subdomainOf(item)}.${item.domain}`;

/**
 * Updates a domain's status from SES and returns the domain; when SES is too busy, the stored status counts. A status
 * that changes because somebody asked `by` himself is in the audit log.
 */
export async function showSendingDomain(teamId: number, item: domains.DomainItem, by?: Actor): Promise<SendingDomain> {
  const said = await ask(teamId, item);
  const changed = changedFields({ status: item.status }, { status: said.status });
  const row =
    by && said.status !== item.status
      ? auditWrite(teamId, by, 'sending_domain.checked', item.domain, changed)
      : undefined;
  const {
    domain,
    created_at,
    verified_at = null,
  } = differs(item, said) ? ((await domains.note(teamId, item.domain, said, row)) ?? item) : item;
  const { status, dkimTokens, dkimZone = olderZone } = said;
  const mailFrom = mailFromOf(item);
  const needs = { domain, dkimTokens, dkimZone, mailFrom, claim: item.claim, hasDmarc: said.hasDmarc };
  return { domain, status, records: dnsRecords({ ...needs, region: config.region }), created_at, verified_at };
}

const differs = (item: domains.DomainItem, { status, dkimTokens, dkimZone, hasDmarc }: domains.Said): boolean =>
  status !== item.status ||
  dkimTokens.join() !== item.dkim_tokens?.join() ||
  dkimZone !== item.dkim_zone ||
  hasDmarc !== item.has_dmarc;

/** What SES says, and DNS of a domain that is not verified yet; without an answer on DMARC none is asked for. */
async function ask(teamId: number, item: domains.DomainItem): Promise<domains.Said> {
  const said = await askSes(teamId, item);
  if (said.status === 'verified') return { ...said, hasDmarc: item.has_dmarc };
  return { ...said, hasDmarc: (await hasDmarc(item.domain)) ?? item.has_dmarc ?? true };
}

async function askSes(teamId: number, item: domains.DomainItem): Promise<domains.Said> {
  const { status, dkim_tokens, dkim_zone } = item;
  try {
    return await domainStatus(teamId, item, dkim_tokens ? undefined : 'patiently');
  } catch (error) {
    if (!dkim_tokens) throw error;
    return { status, dkimTokens: dkim_tokens, dkimZone: dkim_zone };
  }
}
