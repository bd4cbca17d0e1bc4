import { deleteOwnIdentity } from '../../aws/identities.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import { type Actor, systemActor } from '../../domain/actor.ts';
import { Unavailable } from '../../domain/errors.ts';

/**
 * Removes a domain from a team, and from SES what this installation made there for it; any team may then add it.
 * Idempotent. Throws 503 while another request removes it.
 */
export async function removeSendingDomain(teamId: number, domain: string, by: Actor): Promise<void> {
  if (!(await domains.markRemoval(teamId, domain, by))) {
    if (!(await domains.isOwner(teamId, domain))) return;
    throw new Unavailable(`A removal of ${domain} is under way, or has failed: try again in two minutes.`, 120);
  }
  await deleteOwnIdentity(teamId, domain);
  await domains.release(teamId, domain, by, by.operation.id);
}

/** Removes a domain whose claim has ended without proof; one that was claimed anew since has its own job. */
export async function endClaim(teamId: number, domain: string, at: string): Promise<undefined> {
  const item = await domains.find(teamId, domain);
  if (item?.claim_until === at && domains.hasEnded(item)) await removeSendingDomain(teamId, domain, systemActor());
}
