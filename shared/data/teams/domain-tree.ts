import { maxDomains, parentsOf } from '../../domain/teams/domain-claim.ts';
import { keys, partitions, treePosition } from '../keys.ts';
import * as table from '../table.ts';

/** Who has a domain; `pending` until the team has shown that it is its own. */
export interface DomainOwner {
  team_id: number;
  pending?: boolean;
}

/** Puts a domain into the tree of all teams' domains. */
export async function enter(teamId: number, domain: string): Promise<void> {
  await table.put({ Item: { ...keys.domainPlace(domain), team_id: teamId } });
}

/** Takes a domain out of the tree. */
export async function leave(teamId: number, domain: string): Promise<void> {
  await table.removeIf({
    Key: keys.domainPlace(domain),
    ConditionExpression: 'team_id = :team',
    ExpressionAttributeValues: { ':team': teamId },
  });
}

/**
 * Whether another team has a domain above or below this one. Claims that are only made do not count: else a claim to
 * `co.uk` would keep everybody off. Of two teams that enter the tree at once, at least one sees the other.
 */
export async function othersAround(teamId: number, domain: string): Promise<boolean> {
  const below = table.within(partitions.domainTree, { prefix: treePosition(domain) });
  const [above, { items }] = await Promise.all([
    // Domains that earlier versions stored are in the tree from their next check on.
    table.batchGet<DomainOwner>(parentsOf(domain).flatMap((name) => [keys.domainOwner(name), keys.domainPlace(name)])),
    table.query<DomainOwner>({ ...below, ConsistentRead: true, Limit: maxDomains + 2 }),
  ]);
  return [...above, ...items].some((other) => other && other.team_id !== teamId && !other.pending);
}
