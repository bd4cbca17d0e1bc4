import type { ExportFormat } from './export-records.ts';
import type { ExportColumns } from './export-rows.ts';

/** Where a team's warehouse puts its exports, and how they read. */
export interface WarehouseSource {
  bucket: string;
  prefix: string;
  format: ExportFormat;
  columns: ExportColumns;
}

/** An object of an export as it was when it was listed. */
export interface ExportObject {
  key: string;
  size: number;
  etag: string;
}

/** An export that cannot be read as it is: its words say to its owner what to put right. */
export class ExportFault extends Error {}

/** What warehouses and their tools leave beside an export: markers, manifests, and Athena's notes on a result. */
const beside = /(^|\/)[_.][^/]*$|manifest$|\.metadata$|\/$/;

/** Whether an object under a prefix holds rows. */
export function holdsRows({ key, size }: ExportObject): boolean {
  return size > 0 && !beside.test(key);
}

/** Why a team's exports may not lie under a prefix of the system's own bucket; undefined where they may. */
export function prefixFault(teamId: number, prefix: string): string | undefined {
  const own = ownPrefix(teamId);
  return prefix.startsWith(own) ? undefined : `in the system's bucket the prefix of this team begins with ${own}`;
}

/** Where a team's exports lie in the system's bucket. */
export const ownPrefix = (teamId: number): string => `teams/${teamId}/`;
