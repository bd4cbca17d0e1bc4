import type { WarehouseSource } from '../../domain/campaigns/warehouse.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';

/** A team's warehouse source, as an operator set it. */
export type WarehouseItem = WarehouseSource & Key & { updated_at: string };

/** Reads a team's warehouse source; undefined when it has none. */
export function find(teamId: number): Promise<WarehouseItem | undefined> {
  return table.get<WarehouseItem>(keys.warehouse(teamId));
}

/** Sets a team's warehouse source, replacing an earlier one. */
export async function put(teamId: number, source: WarehouseSource): Promise<WarehouseItem> {
  const item: WarehouseItem = { ...keys.warehouse(teamId), ...source, updated_at: timestamp() };
  await table.put({ Item: item });
  return item;
}

/** Removes a team's warehouse source. */
export async function remove(teamId: number): Promise<void> {
  await table.remove({ Key: keys.warehouse(teamId) });
}
