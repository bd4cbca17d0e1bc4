import { NotApplicable, ValidationError } from '../../domain/errors.ts';
import { hostOf } from '../../domain/webhooks/public-address.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import { type AuditWrite, isRecorded } from '../teams/audit-log.ts';
import { changeVersioned, type Decision } from '../versioned.ts';

/** Endpoints of a team, and of a team at one host. */
const [maxEndpoints, maxOfHost] = [20, 10];

/** Its version changes with every endpoint that is added or gets another URL. */
interface GateItem extends Key {
  version: number;
}

interface Endpoint extends Key {
  url: string;
}

/** All endpoints of a team, in consistent reads. */
export const all = <T extends Endpoint>(teamId: number): Promise<T[]> =>
  table.all<T>({ ...table.within(partitions.webhooks(teamId)), ConsistentRead: true });

async function gateOf(teamId: number): Promise<GateItem> {
  const key = keys.webhookGate(teamId);
  const found = await table.get<GateItem>(key);
  if (found) return found;
  const gate: GateItem = { ...key, version: 0 };
  await table.putNew(gate);
  return gate;
}

/**
 * Writes an endpoint that is new, or has another URL, if the team and the host have room for it: exact when several
 * are written at once. `write` is given the stored one, and may return nothing to write; `row` is written with it, and
 * nothing when the audit log has it. Throws 422.
 */
export async function writeWithin(
  teamId: number,
  { key, url }: { key: Key; url: string },
  write: (before: Endpoint | undefined) => table.TransactionWrite | undefined,
  row: AuditWrite,
): Promise<void> {
  const decide = async (gate: GateItem): Promise<Decision<GateItem, void>> => {
    const endpoints = await all(teamId);
    const before = endpoints.find(({ sk }) => sk === key.sk);
    const written = (await isRecorded(row)) ? undefined : write(before);
    if (!written) return { result: undefined };
    checkRoom(endpoints, before, url);
    return { result: undefined, after: gate, writes: [written, row] };
  };
  await changeVersioned('list of webhook endpoints', () => gateOf(teamId), decide);
}

function checkRoom(endpoints: readonly Endpoint[], before: Endpoint | undefined, url: string): void {
  if (!before && endpoints.length >= maxEndpoints)
    throw new NotApplicable(`A team has at most ${maxEndpoints} webhook endpoints: delete one that is not needed.`);
  const host = hostOf(url);
  if (before && hostOf(before.url) === host) return;
  if (endpoints.filter((endpoint) => hostOf(endpoint.url) === host).length >= maxOfHost)
    throw new ValidationError({ url: [`at most ${maxOfHost} endpoints of a team may have the same host`] });
}
