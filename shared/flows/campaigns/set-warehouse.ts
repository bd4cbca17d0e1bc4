import { config } from '../../aws/config.ts';
import { firstOf } from '../../data/campaigns/audience-imports.ts';
import * as warehouses from '../../data/campaigns/warehouses.ts';
import * as teams from '../../data/teams/teams.ts';
import type { Actor } from '../../domain/actor.ts';
import type { ExportFormat } from '../../domain/campaigns/export-records.ts';
import { ExportFault, ownPrefix, prefixFault, type WarehouseSource } from '../../domain/campaigns/warehouse.ts';
import { NotFound, ValidationError } from '../../domain/errors.ts';
import { exportOf, readRows } from './read-export.ts';

interface Input {
  team_id: number;
  bucket?: string;
  prefix?: string;
  format: ExportFormat;
  email_column: string;
  first_name_column?: string;
  last_name_column?: string;
  query?: string;
}

/** Sets a team's warehouse source, replacing an earlier one; throws 422 when it cannot be listed or read. */
export async function setWarehouse(input: Input, by: Actor) {
  const { team_id, format, email_column: email, first_name_column: first_name, last_name_column: last_name } = input;
  if (!(await teams.find(team_id))) throw new NotFound(`team: ${team_id}`);
  const own = config.exportBucket;
  if (input.query !== undefined) return setQuery(input, own, by);
  const bucket = input.bucket ?? own;
  const prefix = input.prefix ?? (bucket === own ? ownPrefix(team_id) : '');
  const fault = bucket === own ? prefixFault(team_id, prefix) : prefix === '' ? 'a prefix is required' : undefined;
  if (fault) throw new ValidationError({ prefix: [fault] });
  const source: WarehouseSource = { bucket, prefix, format, columns: { email, first_name, last_name } };
  const found = await explained(() => inspect(source));
  await warehouses.put(team_id, source, by);
  return { team_id, ...source, ...found };
}

/** A query first runs with a campaign: its data may not exist yet, and every run costs. */
async function setQuery({ team_id, bucket, prefix, format, query, ...named }: Input, own: string, by: Actor) {
  if (bucket !== undefined || prefix !== undefined || format !== 'csv')
    throw new ValidationError({
      query: ["its result is CSV in the system's bucket: give no bucket, prefix or format"],
    });
  const { email_column: email, first_name_column: first_name, last_name_column: last_name } = named;
  const columns = { email, first_name, last_name };
  const source: WarehouseSource = { bucket: own, prefix: 'queries/', format, columns, query };
  await warehouses.put(team_id, source, by);
  return { team_id, ...source };
}

/** Shows a team's warehouse source, and how its export reads now. */
export async function showWarehouse({ team_id }: { team_id: number }) {
  const { pk: _pk, sk: _sk, updated_at, ...source } = await existing(team_id);
  if (source.query !== undefined) return { team_id, ...source, updated_at };
  return { team_id, ...source, updated_at, ...(await explained(() => inspect(source))) };
}

/** Removes a team's warehouse source; campaigns that already read it continue. */
export async function removeWarehouse({ team_id }: { team_id: number }, by: Actor) {
  await existing(team_id);
  await warehouses.remove(team_id, by);
  return { team_id };
}

async function existing(teamId: number): Promise<warehouses.WarehouseItem> {
  const found = await warehouses.find(teamId);
  if (!found) throw new NotFound(`warehouse source of team ${teamId}`);
  return found;
}

/** What a source holds now: its objects, and the beginning of the first one. */
async function inspect(source: WarehouseSource) {
  const [first, ...others] = await exportOf(source);
  const nothing = { header: null, rows_tried: 0, bad_rows: 0, first_problem: null };
  if (!first) return { objects: 0, ...nothing };
  const objects = 1 + others.length;
  for await (const { rows, header } of readRows(source, first, firstOf(0))) {
    const bad = rows.filter(({ fault }) => fault !== undefined);
    const [worst] = bad;
    return {
      objects,
      header: header ?? null,
      rows_tried: rows.length,
      bad_rows: bad.length,
      first_problem: worst ? `${first.key}, line ${worst.line}: ${worst.fault}` : null,
    };
  }
  return { objects, ...nothing };
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    throw new ValidationError({ prefix: [error.message] });
  }
}
