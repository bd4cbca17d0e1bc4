import type { Actor } from '../../domain/actor.ts';
import type { WarehouseSource } from '../../domain/campaigns/warehouse.ts';
import { type AuditedFields, changedFields } from '../../domain/teams/audit.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import { auditWrite } from '../teams/audit-log.ts';

/** A team's warehouse source, as an operator set it. */
export type WarehouseItem = WarehouseSource & Key & { updated_at: string };

/** Reads a team's warehouse source; undefined when it has none. */
export function find(teamId: number): Promise<WarehouseItem | undefined> {
  return table.get<WarehouseItem>(keys.warehouse(teamId));
}

/** Sets a team's warehouse source, replacing an earlier one. */
export async function put(teamId: number, source: WarehouseSource, by: Actor): Promise<WarehouseItem> {
  const item: WarehouseItem = { ...keys.warehouse(teamId), ...source, updated_at: timestamp() };
  const change = changedFields(sourceOf(await find(teamId)), { ...source });
  await table.transact([{ Put: { Item: item } }, auditWrite(teamId, by, 'warehouse.set', teamId, change)]);
  return item;
}

function sourceOf(item: WarehouseItem | undefined): AuditedFields {
  const { pk: _pk, sk: _sk, updated_at: _updatedAt, ...source } = item ?? ({} as Partial<WarehouseItem>);
  return source;
}

/** Removes a team's warehouse source. */
export async function remove(teamId: number, by: Actor): Promise<void> {
  const before = sourceOf(await find(teamId));
  await table.transactIf([
    { Delete: { Key: keys.warehouse(teamId), ConditionExpression: 'attribute_exists(pk)' } },
    auditWrite(teamId, by, 'warehouse.removed', teamId, { before }),
  ]);
}
