import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';

/** A domain that a team may send from once SES has verified it. */
export interface DomainItem extends Key {
  domain: string;
  status: 'pending' | 'verified' | 'failed';
  created_at: string;
  verified_at?: string;
  /** SES's DKIM tokens; absent until SES has returned them. */
  dkim_tokens?: string[];
  /** When SES was last asked for the status; absent while that is in doubt. */
  checked_at?: string;
}

/** Assigns a domain to a team; false when another team has it. Idempotent. */
export async function claim(teamId: number, domain: string): Promise<boolean> {
  const item: DomainItem = { ...keys.domain(teamId, domain), domain, status: 'pending', created_at: timestamp() };
  const claimed = await table.transactIf([
    {
      Put: { Item: { ...keys.domainOwner(domain), team_id: teamId }, ConditionExpression: 'attribute_not_exists(pk)' },
    },
    { Put: { Item: item } },
  ]);
  if (claimed) return true;
  const owner = await table.get<{ team_id: number }>(keys.domainOwner(domain));
  return owner?.team_id === teamId;
}

/** Reads a team's domain; undefined when it is not the team's. */
export function find(teamId: number, domain: string): Promise<DomainItem | undefined> {
  return table.get<DomainItem>(keys.domain(teamId, domain));
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

/** Removes a domain from a team; any team may then claim it. */
export async function release(teamId: number, domain: string): Promise<void> {
  await table.transactIf([
    {
      Delete: {
        Key: keys.domainOwner(domain),
        ConditionExpression: 'team_id = :team',
        ExpressionAttributeValues: { ':team': teamId },
      },
    },
    { Delete: { Key: keys.domain(teamId, domain) } },
  ]);
}

/** Stores the status at SES; undefined when the domain is no longer the team's. */
export function note(
  teamId: number,
  domain: string,
  { status, dkimTokens }: { status: DomainItem['status']; dkimTokens: readonly string[] },
): Promise<DomainItem | undefined> {
  return table.updateIf<DomainItem>({
    Key: keys.domain(teamId, domain),
    UpdateExpression:
      'SET #status = :status, dkim_tokens = :tokens, checked_at = :now' +
      (status === 'verified' ? ', verified_at = if_not_exists(verified_at, :now)' : ' REMOVE verified_at'),
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: {
      ':status': status,
      ':tokens': dkimTokens,
      ':now': timestamp(),
    },
  });
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
