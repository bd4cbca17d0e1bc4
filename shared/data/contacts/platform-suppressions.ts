import type { Actor } from '../../domain/actor.ts';
import type { SuppressionReason } from '../../domain/contacts/suppression.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import { addressTarget, auditWrite, platformLog } from '../teams/audit-log.ts';

const shownLifts = 10;

/** An address that no team mails. */
export interface PlatformSuppression {
  email: string;
  reason: SuppressionReason;
  created_at: string;
}

/** Why operators had an address mailed again. */
export interface LiftedSuppression {
  email: string;
  reason: string;
  lifted_at: string;
}

/** Reads the suppression of an address for every team; undefined when it has none. */
export const find = (email: string): Promise<PlatformSuppression | undefined> =>
  table.get<PlatformSuppression>(keys.platformSuppression(email));

/**
 * Suppresses an address for every team, which no request lifts; returns the suppression that exists now. In the audit
 * log it is only when somebody does so, not a bounce.
 */
export async function add(email: string, reason: SuppressionReason, by?: Actor): Promise<PlatformSuppression> {
  const item = { ...keys.platformSuppression(email), email, reason, created_at: timestamp() };
  const added = by ? table.transactIf(await addition(item, by)) : table.putNew(item);
  return (await added) ? item : ((await find(email)) ?? item);
}

async function addition(item: PlatformSuppression & Key, by: Actor): Promise<table.TransactionWrite[]> {
  const target = await addressTarget(platformLog, item.email);
  const after = { reason: item.reason };
  return [
    { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
    auditWrite(platformLog, by, 'platform_suppression.added', target, { after }),
  ];
}

/** Lifts the suppression of an address for every team, and keeps why. */
export async function lift(email: string, reason: string, by: Actor): Promise<void> {
  const before = { reason: (await find(email))?.reason };
  const lifted: LiftedSuppression = { email, reason, lifted_at: timestamp() };
  await table.transact([
    { Delete: { Key: keys.platformSuppression(email) } },
    { Put: { Item: { ...keys.liftedSuppression(email, lifted.lifted_at), ...lifted } } },
    auditWrite(platformLog, by, 'platform_suppression.removed', await addressTarget(platformLog, email), { before }),
  ]);
}

/** Why an address is mailed again: the latest ten, newest first. */
export async function lifts(email: string): Promise<LiftedSuppression[]> {
  const ofAddress = table.within(partitions.liftedSuppressions, { prefix: `${email} ` });
  const latest = { ...ofAddress, ScanIndexForward: false, Limit: shownLifts };
  const { items } = await table.query<LiftedSuppression>(latest);
  return items.map(({ email, reason, lifted_at }) => ({ email, reason, lifted_at }));
}
