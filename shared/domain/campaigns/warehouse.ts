import type { ExportFormat } from './export-records.ts';
import type { ExportColumns } from './export-rows.ts';

/** Where a team's warehouse writes its exports, and their format. */
export interface WarehouseSource {
  bucket: string;
  prefix: string;
  format: ExportFormat;
  columns: ExportColumns;
  /** SQL whose result is the export; its result is written to the bucket and prefix. */
  query?: string;
}

/** The outcome of a query: the location of its result, or the workflow's error. */
export type QueryOutcome = { location: string } | { Error?: string; Cause?: string };

const scannedTooMuch =
  'it scans more data than this installation allows a query; let it read fewer columns or partitions';

/** The bucket and key of a query's result; throws an ExportFault when it failed. */
export function resultOf(outcome: QueryOutcome): { bucket: string; key: string } {
  const [, bucket, key] = ('location' in outcome && /^s3:\/\/([^/]+)\/(.+)$/.exec(outcome.location)) || [];
  if (bucket && key) return { bucket, key };
  const { Error: error = 'no result', Cause: cause = '' } = 'location' in outcome ? {} : outcome;
  const reason = stateReason(cause) ?? error;
  if (reason.includes('Bytes scanned limit')) throw new ExportFault(`the query failed: ${scannedTooMuch}`);
  throw new ExportFault(`the query failed: ${reason}`.slice(0, 500));
}

/** Athena's reason for a failed query, from the description that Step Functions gives as the cause. */
function stateReason(cause: string): string | undefined {
  try {
    const { QueryExecution } = JSON.parse(cause);
    return QueryExecution?.Status?.StateChangeReason;
  } catch {
    return cause || undefined;
  }
}

/** An object of an export as it was listed. */
export interface ExportObject {
  key: string;
  size: number;
  etag: string;
}

/** An export that cannot be read; its message tells the team what to fix. */
export class ExportFault extends Error {}

/** Objects that warehouses write beside an export: markers, manifests, and Athena's metadata. */
const beside = /(^|\/)[_.][^/]*$|manifest$|\.metadata$|\/$/;

/** Whether an object contains rows. */
export const holdsRows = ({ key, size }: ExportObject): boolean => size > 0 && !beside.test(key);

/** Why a prefix of the system's own bucket is refused for a team; undefined when it is allowed. */
export function prefixFault(teamId: number, prefix: string): string | undefined {
  const own = ownPrefix(teamId);
  return prefix.startsWith(own) ? undefined : `in the system's bucket the prefix of this team begins with ${own}`;
}

/** The prefix of a team's exports in the system's own bucket. */
export const ownPrefix = (teamId: number): string => `teams/${teamId}/`;
