import * as domains from '../../shared/data/teams/sending-domains.ts';
import { NotFound } from '../../shared/domain/errors.ts';

/** The team's domain that a path names, or 404. */
export async function domainOf(teamId: number, { domain }: { domain: string }): Promise<domains.DomainItem> {
  const found = await domains.find(teamId, domain);
  if (!found) throw new NotFound('sending domain');
  return found;
}
