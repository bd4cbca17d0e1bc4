import * as domains from '../../shared/data/teams/sending-domains.ts';
import { orNotFound } from '../../shared/domain/errors.ts';

/** The team's domain that a path names, or 404. */
export async function domainOf(teamId: number, { domain }: { domain: string }): Promise<domains.DomainItem> {
  return orNotFound(await domains.find(teamId, domain), 'sending domain');
}
