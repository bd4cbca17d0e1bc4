import type { ExportPerson } from '../../domain/campaigns/export-rows.ts';
import { epochSeconds } from '../../domain/time.ts';
import { type Key, partitions } from '../keys.ts';
import * as table from '../table.ts';

// Rows of imports by earlier versions, an item each, which expire after 30 days.

const rowsPerPage = 1_000;

type RowItem = Omit<ExportPerson, 'email'> & Key & { ttl: number };

const emailOf = (sk: string): string => sk.slice(0, sk.indexOf(' '));
const rowOf = (sk: string): number => Number(sk.slice(sk.indexOf(' ') + 1));
const afterRowsOf = (email: string): string => `${email} ~`;

/** The distinct addresses of an import that begins at a row, in order, strictly after an address, in batches. */
export async function* addresses(
  teamId: number,
  campaignId: number,
  { first_row, after }: { first_row: number; after?: string },
): AsyncGenerator<string[]> {
  let last = after === undefined ? ' ' : afterRowsOf(after);
  for (;;) {
    const { items, next } = await table.query<{ sk: string }>({
      KeyConditionExpression: 'pk = :pk AND sk > :last',
      ExpressionAttributeValues: { ':pk': partitions.singleRows(teamId, campaignId), ':last': last },
      ProjectionExpression: 'sk',
      Limit: rowsPerPage,
      ConsistentRead: true,
    });
    const own = items.filter(({ sk }) => rowOf(sk) >= first_row);
    const found = [...new Set(own.map(({ sk }) => emailOf(sk)))];
    if (found.length > 0) yield found;
    if (next === undefined) return;
    // The last address may continue on the next page; it comes again there, unless this page had a row of the import.
    const reached = String(next.sk);
    last = emailOf(reached) === found.at(-1) ? afterRowsOf(emailOf(reached)) : reached;
  }
}

/** The merge values of the addresses in a range; the last row of an address wins. */
export async function between(
  teamId: number,
  campaignId: number,
  first: string,
  last: string,
): Promise<Map<string, ExportPerson>> {
  const found = new Map<string, ExportPerson>();
  const now = epochSeconds();
  const range = table.within(partitions.singleRows(teamId, campaignId), {
    between: [`${first} `, afterRowsOf(last)],
  });
  const rows = table.queryAll<RowItem>({ ...range, ConsistentRead: true });
  for await (const { sk, first_name, last_name, metadata, ttl } of rows)
    if (ttl > now) found.set(emailOf(sk), { email: emailOf(sk), first_name, last_name, metadata });
  return found;
}

/** Removes the rows of an address from a campaign's import. */
export async function erase(teamId: number, campaignId: number, email: string): Promise<void> {
  const own = table.within(partitions.singleRows(teamId, campaignId), { prefix: `${email} ` });
  for await (const Key of table.queryAll<Key>({ ...own, ProjectionExpression: 'pk, sk', ConsistentRead: true }))
    await table.remove({ Key });
}
