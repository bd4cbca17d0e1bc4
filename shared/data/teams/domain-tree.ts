import { maxDomains, parentsOf } from '../../domain/teams/domain-claim.ts';
import { keys, partitions, treePosition } from '../keys.ts';
import * as table from '../table.ts';

/** Who has a domain; `pending` until the team has shown that it is its own. */
export interface DomainOwner {
  team_id: number;
  pending?: boolean;
}

/** Puts a domain into the tree of all teams' domains; false when it is another team's, or nobody's any more. */
export function enter(teamId: number, domain: string): Promise<boolean> {
  return table.transactIf([
    {
      ConditionCheck: {
        Key: keys.domainOwner(domain),
        ConditionExpression: 'team_id = :team',
        ExpressionAttributeValues: { ':team': teamId },
      },
    },
    { Put: { Item: { ...keys.domainPlace(domain), team_id: teamId } } },
  ]);
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
  const parents = parentsOf(domain);
  const [owners, above, { items }] = await Promise.all([
    table.batchGet<DomainOwner>(parents.map(keys.domainOwner)),
    table.batchGet<DomainOwner>(parents.map(keys.domainPlace)),
    table.query<DomainOwner>({ ...below, ConsistentRead: true, Limit: maxDomains + 2 }),
  ]);
  const isOther = (owner: DomainOwner | undefined) => owner && owner.team_id !== teamId && !owner.pending;
  return (
    [...above, ...items].some(isOther) ||
    haveVerified(
      parents,
      owners.map((owner) => (isOther(owner) ? owner : undefined)),
    )
  );
}

/** Whether one of the owners has its domain verified: those of earlier versions are in the tree from that check on. */
async function haveVerified(names: readonly string[], owners: readonly (DomainOwner | undefined)[]): Promise<boolean> {
  const wanted = names.flatMap((name, index) => {
    const owner = owners[index];
    return owner ? [keys.domain(owner.team_id, name)] : [];
  });
  const found = await table.batchGet<{ status: string }>(wanted);
  return found.some((item) => item?.status === 'verified');
}
