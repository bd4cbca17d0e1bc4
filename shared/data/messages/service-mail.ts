import { addressHash } from '../../domain/address-token.ts';
import { countedWith, countersOf, type ServiceMail } from '../../domain/messages/service-limits.ts';
import { allowancePeriod, type Plan } from '../../domain/teams/plans.ts';
import { epochSeconds } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import { firstSigningKey } from '../signing-key.ts';
import * as table from '../table.ts';
import * as usage from '../teams/usage.ts';

/** When service messages of a kind were sent to an address, which only its holder can find: the key is a hash. */
interface ServiceMailItem extends Key {
  /** In milliseconds since the epoch. */
  sent_at: number[];
  ttl: number;
}

/** Why a message may not be sent: its record says that it is sent, by the limits of the address, by the allowance. */
export type Refusal = 'claimed' | 'limit' | 'allowance';

/** A service message that is counted and charged: what takes both back when it surely was not sent. */
export interface Counted {
  giveBack(): Promise<void>;
}

/** Another message of the kind is counted at most so often between a read and a write: the limits are small. */
const maxAttempts = 4;

/**
 * Counts a service message to an address and takes it from the team's allowance, in one transaction with the `claim` of
 * the record that it is for: of a message that comes twice, one is counted. The count outlives the address's records.
 */
export async function count(
  team: { id: number; plan: Plan },
  mail: ServiceMail,
  email: string,
  claim?: table.TransactionWrite,
): Promise<Counted | Refusal> {
  const secret = await firstSigningKey();
  const counters = countersOf(mail).map(({ name, limits }) => ({
    limits,
    key: keys.serviceMail(team.id, addressHash(secret, `${team.id}.${name}`, email)),
  }));
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const now = Date.now();
    const found = await Promise.all(counters.map(({ key }) => table.get<ServiceMailItem>(key)));
    const rows: Replaced[] = [];
    for (const [index, { key, limits }] of counters.entries()) {
      const before = found[index];
      const counted = countedWith(limits, before?.sent_at ?? [], now);
      if (!counted) return 'limit';
      rows.push({ before, row: { ...key, sent_at: counted.times, ttl: epochSeconds(counted.until) } });
    }
    const month = allowancePeriod(new Date(now));
    const failed = await table.refusals([
      usage.taking(team.id, team.plan, month, 'emails', 1),
      ...rows.map(replacing),
      ...(claim ? [claim] : []),
    ]);
    if (failed.length === 0) return { giveBack: () => giveBack(team.id, month, rows) };
    if (failed.includes(rows.length + 1)) return 'claimed';
    if (failed.includes(0)) return 'allowance';
  }
  return 'limit';
}

/** A row as it is written, and what was there. */
interface Replaced {
  before: ServiceMailItem | undefined;
  row: ServiceMailItem;
}

const replacing = ({ before, row }: Replaced): table.TransactionWrite => ({
  Put: {
    Item: row,
    ConditionExpression: before ? 'sent_at = :read' : 'attribute_not_exists(pk)',
    ExpressionAttributeValues: before && { ':read': before.sent_at },
  },
});

/** Nobody else changes the rows meanwhile: one message a day is counted. */
const giveBack = (teamId: number, month: string, rows: readonly Replaced[]): Promise<void> =>
  table.transact([
    ...rows.map(({ before, row: { pk, sk } }) =>
      before ? { Put: { Item: before } } : { Delete: { Key: { pk, sk } } },
    ),
    usage.adding(teamId, month, 'emails', -1),
  ]);
