import { addressHash } from '../../domain/address-token.ts';
import { countedWith, type ServiceMail } from '../../domain/messages/service-limits.ts';
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

const nameOf = (mail: ServiceMail): string =>
  mail.kind === 'invitation' ? `${mail.kind}.${mail.waitlist_id}` : mail.kind;

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
  const key = keys.serviceMail(team.id, addressHash(await firstSigningKey(), `${team.id}.${nameOf(mail)}`, email));
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await table.get<ServiceMailItem>(key);
    const now = Date.now();
    const counted = countedWith(mail.kind, before?.sent_at ?? [], now);
    if (!counted) return 'limit';
    const month = allowancePeriod(new Date(now));
    const row = { ...key, sent_at: counted.times, ttl: epochSeconds(counted.until) };
    const failed = await table.refusals([
      replacing(before, row),
      usage.taking(team.id, team.plan, month, 'emails', 1),
      ...(claim ? [claim] : []),
    ]);
    if (failed.length === 0) return { giveBack: () => giveBack(team.id, month, key, before) };
    if (failed.includes(2)) return 'claimed';
    if (failed.includes(1)) return 'allowance';
  }
  return 'limit';
}

const replacing = (before: ServiceMailItem | undefined, row: ServiceMailItem): table.TransactionWrite => ({
  Put: {
    Item: row,
    ConditionExpression: before ? 'sent_at = :read' : 'attribute_not_exists(pk)',
    ExpressionAttributeValues: before && { ':read': before.sent_at },
  },
});

/** Nobody else changes the row meanwhile: one message a day is counted. */
const giveBack = (teamId: number, month: string, key: Key, before: ServiceMailItem | undefined): Promise<void> =>
  table.transact([
    before ? { Put: { Item: before } } : { Delete: { Key: key } },
    usage.adding(teamId, month, 'emails', -1),
  ]);
