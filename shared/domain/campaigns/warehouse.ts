import type { ExportFormat } from './export-records.ts';
import type { ExportColumns } from './export-rows.ts';

/** Where a team's warehouse puts its exports, and how they read. */
export interface WarehouseSource {
  bucket: string;
  prefix: string;
  format: ExportFormat;
  columns: ExportColumns;
  /** SQL whose result is the export; bucket and prefix are then where its result lands. */
  query?: string;
}

/** What came of a query: where its result lies, or the workflow's error. */
export type QueryOutcome = { location: string } | { Error?: string; Cause?: string };

/** The place of a query's result; throws an ExportFault that says why there is none. */
export function resultOf(outcome: QueryOutcome): { bucket: string; key: string } {
  const [, bucket, key] = ('location' in outcome && /^s3:\/\/([^/]+)\/(.+)$/.exec(outcome.location)) || [];
  if (bucket && key) return { bucket, key };
  const { Error: error = 'no result', Cause: cause = '' } = 'location' in outcome ? {} : outcome;
  throw new ExportFault(`the query failed: ${stateReason(cause) ?? error}`.slice(0, 500));
}

/** What Athena says of a failed query, within the description that Step Functions gives as the cause. */
function stateReason(cause: string): string | undefined {
  try {
    const { QueryExecution } = JSON.parse(cause);
    return QueryExecution?.Status?.StateChangeReason;
  } catch {
    return cause || undefined;
  }
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
