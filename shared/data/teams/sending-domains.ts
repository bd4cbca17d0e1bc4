import { randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/actor.ts';
import { changedFields } from '../../domain/teams/audit.ts';
import { claimMs, maxDomains } from '../../domain/teams/domain-claim.ts';
import { timestamp } from '../../domain/time.ts';
import { dueJob, jobWrite } from '../due-jobs.ts';
import { type Key, keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import { type AuditWrite, auditWrite } from './audit-log.ts';
import * as tree from './domain-tree.ts';

/** A domain that a team may send from once SES has verified it. */
export interface DomainItem extends Key {
  domain: string;
  status: 'pending' | 'verified' | 'failed';
  created_at: string;
  verified_at?: string;
  /** The token that the team publishes; absent on a domain that an earlier version stored, which needs none. */
  claim?: string;
  /** When the claim ends unless the token is published. */
  claim_until?: string;
  /** When the token was found; on a domain of an earlier version, when it came into the tree. */
  proven_at?: string;
  /** The subdomain of MAIL FROM; absent: `mail`. */
  mail_from?: string;
  /** The zone of the DKIM keys; absent until SES has returned it. */
  dkim_zone?: string;
  /** Whether a DMARC policy applied when that was last looked up. */
  has_dmarc?: boolean;
  /** SES's DKIM tokens; absent until SES has returned them. */
  dkim_tokens?: string[];
  /** When SES was last asked for the status; absent while that is in doubt. */
  checked_at?: string;
}

/** What SES and DNS said of a domain; what they did not say stays as it was. */
export interface Said {
  status: DomainItem['status'];
  dkimTokens: readonly string[];
  dkimZone?: string;
  hasDmarc?: boolean;
}

/** How long the mark of a removal stands: longer than any function that removes domains may run. */
const removalMs = 120_000;
const unmarked = 'attribute_not_exists(removal) OR removal_until < :now';

/** Whether the team has shown that the domain is its own. */
export const isProven = ({ claim, proven_at }: DomainItem): boolean => claim === undefined || proven_at !== undefined;

/** Whether the time to show that is over. */
export const hasEnded = (item: DomainItem): boolean => !isProven(item) && item.claim_until! <= timestamp();

/** The actor in what concerns one claim: a request that runs again, and claims anew, is not refused for its own row. */
const inClaim = (by: Actor, claim: string | undefined): Actor => ({
  ...by,
  operation: { ...by.operation, id: `${by.operation.id} ${claim}` },
});

/** Claims a domain for a team, for seven days; undefined when another team has it. Idempotent. */
export async function claim(teamId: number, domain: string, by: Actor): Promise<DomainItem | undefined> {
  const until = new Date(Date.now() + claimMs);
  const item: DomainItem = {
    ...keys.domain(teamId, domain),
    domain,
    status: 'pending',
    created_at: timestamp(),
    claim: randomBytes(16).toString('hex'),
    claim_until: timestamp(until),
  };
  const owner = { ...keys.domainOwner(domain), team_id: teamId, pending: true };
  const end = dueJob({ kind: 'claim', team_id: teamId, domain, at: item.claim_until! }, until);
  const claimed = await table.transactIf([
    { Put: { Item: owner, ConditionExpression: 'attribute_not_exists(pk)' } },
    { Put: { Item: item } },
    jobWrite(end),
    auditWrite(teamId, inClaim(by, item.claim), 'sending_domain.added', domain),
  ]);
  return claimed ? item : find(teamId, domain);
}

/** Makes a claimed domain the team's; false when the claim has ended or another team has it, or one around it. */
export async function prove(teamId: number, { domain, claim }: DomainItem): Promise<boolean> {
  if (!(await tree.enter(teamId, domain))) return false;
  const free = claim === undefined || !(await tree.othersAround(teamId, domain));
  const proven = free && (await table.transactIf(proof(teamId, domain, claim)));
  if (!proven) await tree.leave(teamId, domain);
  return proven;
}

function proof(teamId: number, domain: string, claim: string | undefined): table.TransactionWrite[] {
  const open = claim === undefined ? 'attribute_not_exists(claim)' : 'claim = :claim AND claim_until > :now';
  return [
    {
      Update: {
        Key: keys.domain(teamId, domain),
        UpdateExpression: 'SET proven_at = if_not_exists(proven_at, :now)',
        ConditionExpression: `attribute_exists(pk) AND ${open}`,
        ExpressionAttributeValues: { ':now': timestamp(), ...(claim !== undefined && { ':claim': claim }) },
      },
    },
    {
      Update: {
        Key: keys.domainOwner(domain),
        UpdateExpression: 'REMOVE pending',
        ConditionExpression: 'team_id = :team',
        ExpressionAttributeValues: { ':team': teamId },
      },
    },
  ];
}

/** Whether the team has more domains than it may have. */
export async function tooMany(teamId: number): Promise<boolean> {
  const { items } = await table.query({
    ...table.within(partitions.domains(teamId)),
    ConsistentRead: true,
    Limit: maxDomains + 1,
  });
  return items.length > maxDomains;
}

/** Stores the subdomain of MAIL FROM; undefined when the domain is no longer the team's. */
export async function setMailFrom(
  teamId: number,
  { domain, mail_from }: DomainItem,
  mailFrom: string,
  by: Actor,
): Promise<DomainItem | undefined> {
  const update = {
    Key: keys.domain(teamId, domain),
    UpdateExpression: 'SET mail_from = :mail_from',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':mail_from': mailFrom },
  };
  const change = changedFields({ mail_from_subdomain: mail_from }, { mail_from_subdomain: mailFrom });
  await table.transactIf([{ Update: update }, auditWrite(teamId, by, 'sending_domain.changed', domain, change)]);
  return find(teamId, domain);
}

/** Reads a team's domain; undefined when it is not the team's. */
export function find(teamId: number, domain: string): Promise<DomainItem | undefined> {
  return table.get<DomainItem>(keys.domain(teamId, domain));
}

/** Whether a domain is the team's, proven or not. */
export async function isOwner(teamId: number, domain: string): Promise<boolean> {
  return (await table.get<tree.DomainOwner & Key>(keys.domainOwner(domain)))?.team_id === teamId;
}

/** Whether a domain is another team's; a claim that is only made does not count. */
export async function isOthers(teamId: number, domain: string): Promise<boolean> {
  const owner = await table.get<tree.DomainOwner & Key>(keys.domainOwner(domain));
  return owner !== undefined && owner.team_id !== teamId && !owner.pending;
}

/** The team's oldest verified domain; undefined while it has none. */
export async function firstVerified(teamId: number): Promise<string | undefined> {
  const all = await table.all<DomainItem>(table.within(partitions.domains(teamId)));
  const verified = all.filter(({ status }) => status === 'verified');
  return verified.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))[0]?.domain;
}

/** The team's domains, by name. */
export function list(teamId: number): Source<DomainItem> {
  return partition<DomainItem>({ pk: partitions.domains(teamId) });
}

/**
 * Marks a domain as being removed: only who has the mark may delete it from SES, since a later deletion would be of the
 * next owner's. False when another request has it; one that runs again goes on with its own. The mark of a process that
 * has ended is free after its time.
 */
export function markRemoval(teamId: number, domain: string, { operation }: Actor): Promise<boolean> {
  return table.writeIf({
    Key: keys.domainOwner(domain),
    UpdateExpression: 'SET removal = :mark, removal_until = :until',
    ConditionExpression: `team_id = :team AND (removal = :mark OR ${unmarked})`,
    ExpressionAttributeValues: {
      ':team': teamId,
      ':mark': operation.id,
      ':until': timestamp(new Date(Date.now() + removalMs)),
      ':now': timestamp(),
    },
  });
}

/** Takes a claim back that its own request cannot keep. */
export const withdraw = (teamId: number, { domain, claim }: DomainItem, by: Actor): Promise<void> =>
  release(teamId, domain, inClaim(by, claim));

/** Removes a domain from a team; any team may then claim it. Not while another request, with a mark, removes it. */
export async function release(teamId: number, domain: string, by: Actor, mark?: string): Promise<void> {
  await table.transactIf([
    {
      Delete: {
        Key: keys.domainOwner(domain),
        ConditionExpression: `team_id = :team AND (${mark === undefined ? unmarked : 'removal = :mark'})`,
        ExpressionAttributeValues: {
          ':team': teamId,
          ...(mark === undefined ? { ':now': timestamp() } : { ':mark': mark }),
        },
      },
    },
    { Delete: { Key: keys.domainPlace(domain) } },
    { Delete: { Key: keys.domain(teamId, domain) } },
    auditWrite(teamId, by, 'sending_domain.removed', domain),
  ]);
}

/** Stores what SES and DNS said, with a row of the audit log; undefined when the domain is no longer the team's. */
export async function note(
  teamId: number,
  domain: string,
  { status, dkimTokens, dkimZone, hasDmarc }: Said,
  row?: AuditWrite,
): Promise<DomainItem | undefined> {
  const update = {
    Key: keys.domain(teamId, domain),
    UpdateExpression:
      'SET #status = :status, dkim_tokens = :tokens, checked_at = :now' +
      (dkimZone === undefined ? '' : ', dkim_zone = :zone') +
      (hasDmarc === undefined ? '' : ', has_dmarc = :dmarc') +
      (status === 'verified' ? ', verified_at = if_not_exists(verified_at, :now)' : ' REMOVE verified_at'),
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: {
      ':status': status,
      ':tokens': dkimTokens,
      ':now': timestamp(),
      ...(dkimZone !== undefined && { ':zone': dkimZone }),
      ...(hasDmarc !== undefined && { ':dmarc': hasDmarc }),
    },
  };
  if (!row) return table.updateIf<DomainItem>(update);
  return (await table.transactIf([{ Update: update }, row])) ? find(teamId, domain) : undefined;
}

/** Whether the caller is the one to ask SES for a domain's status: nobody else has since the domain was read. */
export function claimCheck(teamId: number, { domain, checked_at }: DomainItem): Promise<boolean> {
  const unchanged = checked_at === undefined ? 'attribute_not_exists(checked_at)' : 'checked_at = :read';
  return table.writeIf({
    Key: keys.domain(teamId, domain),
    UpdateExpression: 'SET checked_at = :now',
    ConditionExpression: `attribute_exists(pk) AND ${unchanged}`,
    ExpressionAttributeValues: { ':now': timestamp(), ...(checked_at !== undefined && { ':read': checked_at }) },
  });
}

/** Puts a domain's status in doubt: SES is asked before it counts again. */
export async function doubt(teamId: number, domain: string): Promise<void> {
  await table.writeIf({
    Key: keys.domain(teamId, domain),
    UpdateExpression: 'REMOVE checked_at',
    ConditionExpression: 'attribute_exists(pk)',
  });
}
