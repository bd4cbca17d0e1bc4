import { addressHash } from '../../domain/address-token.ts';
import { countedWith, countersOf, type ServiceMail } from '../../domain/messages/service-limits.ts';
import { allowancePeriod, type Plan, pageMailsPerDay } from '../../domain/teams/plans.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import { firstSigningKey } from '../signing-key.ts';
import * as table from '../table.ts';
import * as usage from '../teams/usage.ts';
import { counting } from './direct-outcomes.ts';

/** When service messages of a kind were sent to an address, which only its holder can find: the key is a hash. */
interface ServiceMailItem extends Key {
  /** In milliseconds since the epoch. */
  sent_at: number[];
  ttl: number;
}

/**
 * Why a message may not be sent: its record says that it is sent, by the limits of the address, since strangers caused
 * so many today, by the allowance.
 */
export type Refusal = 'claimed' | 'limit' | 'page_limit' | 'allowance';

/** A service message that is counted and charged: what takes both back when it surely was not sent. */
export interface Counted {
  giveBack(): Promise<void>;
}

/** A day's mails that strangers caused are known for so long. */
const pageMailSeconds = 2 * 86_400;

/** Another message of the kind is counted at most so often between a read and a write: the limits are small. */
const maxAttempts = 4;

/**
 * Counts a service message to an address, among the team's messages and for its allowance, in one transaction with the
 * `claim` of the record that it is for: of a message that comes twice, one is counted. The count of the address
 * outlives its records.
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
    const day = mail.kind === 'place' ? timestamp(now).slice(0, 10) : undefined;
    const writes: { write: table.TransactionWrite; refusal?: Refusal }[] = [
      ...(claim ? [{ write: claim, refusal: 'claimed' } as const] : []),
      ...(day ? [{ write: onPage(team, day), refusal: 'page_limit' } as const] : []),
      { write: usage.taking(team.id, team.plan, month, 'emails', 1), refusal: 'allowance' },
      { write: counting(team.id, { sent: 1 }, timestamp(now)) },
      ...rows.map((row) => ({ write: replacing(row) })),
    ];
    const failed = await table.refusals(writes.map(({ write }) => write));
    if (failed.length === 0)
      return {
        giveBack: () =>
          giveBack(
            team.id,
            counters.map(({ key }) => key),
            { now, month, day },
          ),
      };
    const { refusal } = writes[Math.min(...failed)]!;
    if (refusal) return refusal;
  }
  return 'limit';
}

/** The write that counts a mail which a stranger caused; its condition fails when there were enough that day. */
const onPage = ({ id, plan }: { id: number; plan: Plan }, day: string) => ({
  Update: {
    Key: keys.pageMail(id, day),
    UpdateExpression: 'ADD sent :one SET #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(sent) OR sent < :most',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':one': 1, ':most': pageMailsPerDay(plan), ':ttl': epochSeconds() + pageMailSeconds },
  },
});

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

/**
 * Takes a message back: its charge, then its time among those of the address, to which others may have come since. A
 * crash between them leaves the time counted.
 */
async function giveBack(
  teamId: number,
  counted: readonly Key[],
  { now, month, day }: { now: number; month: string; day: string | undefined },
): Promise<void> {
  await table.transact([
    usage.adding(teamId, month, 'emails', -1),
    counting(teamId, { sent: -1 }, timestamp(now)),
    ...(day ? [{ Update: { Key: keys.pageMail(teamId, day), ...minusOne } }] : []),
  ]);
  for (const key of counted) await forget(key, now);
}

/** Removes a time from those that are counted. */
async function forget(key: Key, time: number): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const row = await table.get<ServiceMailItem>(key);
    const at = row?.sent_at.indexOf(time) ?? -1;
    if (!row || at < 0) return;
    if (await table.transactIf([replacing({ before: row, row: { ...row, sent_at: row.sent_at.toSpliced(at, 1) } })]))
      return;
  }
}

const minusOne = { UpdateExpression: 'ADD sent :less', ExpressionAttributeValues: { ':less': -1 } };
