import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ExportPerson } from '../../domain/campaigns/export-rows.ts';
import { epochSeconds } from '../../domain/time.ts';
import { type Key, keys, padId, partitions } from '../keys.ts';
import * as table from '../table.ts';
import type { ImportItem } from './audience-imports.ts';
import * as singleRows from './single-rows.ts';

/** Days for which the merge values of a warehouse audience are kept; recipients still unsent then cannot be sent. */
const keptDays = 30;
/** A chunk of rows, much smaller than an item may be even where its last row has the largest merge values. */
const maxRows = 100;
const maxBytes = 64 * 1024;
/** Chunks that a page of 50 recipients is on, nearly always. */
const perPage = 2;
/** Chunks of a run that an address may be in: they overlap where a worker died while it wrote them. */
const perAddress = 2;

/** Up to 100 rows of a run, in address order, under the first address. */
interface ChunkItem extends Key {
  /** Deflated JSON. */
  rows: Uint8Array;
  ttl: number;
}

/** The name of the run that begins with a row. */
export const runFrom = (row: number): string => padId(row);

/** The name of the run that all runs of an import are merged into. */
export const mergedRun = ({ first_row }: Pick<ImportItem, 'first_row'>): string => `M${padId(first_row)}`;

const chunkOf = (teamId: number, id: number, run: string, people: readonly ExportPerson[], ttl: number): ChunkItem => ({
  ...keys.audienceRows(teamId, id, run, people[0]!.email),
  rows: deflateRawSync(JSON.stringify(people)),
  ttl,
});

const peopleIn = ({ rows }: ChunkItem): ExportPerson[] => JSON.parse(inflateRawSync(rows).toString());

/** Writes rows of a run, in address order and one an address; idempotent. */
export async function put(teamId: number, id: number, run: string, people: readonly ExportPerson[]): Promise<void> {
  const ttl = epochSeconds() + keptDays * 86_400;
  const chunks: ExportPerson[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const person of people) {
    if (bytes > maxBytes || chunks.at(-1)!.length === maxRows) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)!.push(person);
    bytes += Buffer.byteLength(JSON.stringify(person));
  }
  await table.batchPut(chunks.map((chunk) => chunkOf(teamId, id, run, chunk, ttl)));
}

/** The chunks of a run up to an address, backwards. */
const upTo = (teamId: number, id: number, run: string, email: string, Limit: number) => ({
  ...table.within(partitions.audienceRows(teamId, id), { between: [`${run} `, `${run} ${email}`] }),
  ScanIndexForward: false,
  ConsistentRead: true,
  Limit,
});

/** The rows of a run in order, strictly after an address, in batches; so many chunks are read at once. */
export async function* people(
  teamId: number,
  id: number,
  run: string,
  { after = '', chunksAtOnce = 50 }: { after?: string; chunksAtOnce?: number },
): AsyncGenerator<ExportPerson[]> {
  const { items } = await table.query<ChunkItem>(upTo(teamId, id, run, after, 1));
  const from = items[0]?.sk ?? `${run} `;
  const rest = table.within(partitions.audienceRows(teamId, id), { between: [from, `${run}~`] });
  let last = after;
  for await (const chunk of table.queryAll<ChunkItem>({ ...rest, Limit: chunksAtOnce, ConsistentRead: true })) {
    // Chunks may overlap when a worker died while it wrote them, and an address was erased since.
    const found = peopleIn(chunk).filter(({ email }) => email > last);
    last = found.at(-1)?.email ?? last;
    if (found.length > 0) yield found;
  }
}

/** The distinct addresses of an import, in order, strictly after an address, in batches. */
export async function* addresses(
  teamId: number,
  id: number,
  found: Pick<ImportItem, 'first_row' | 'runs'>,
  after?: string,
): AsyncGenerator<string[]> {
  if (!found.runs) return yield* singleRows.addresses(teamId, id, { first_row: found.first_row, after });
  for await (const batch of people(teamId, id, mergedRun(found), { after })) yield batch.map(({ email }) => email);
}

/** The merge values of an import's addresses in a range. */
export async function between(
  teamId: number,
  id: number,
  imported: Pick<ImportItem, 'first_row' | 'runs'>,
  first: string,
  last: string,
): Promise<Map<string, ExportPerson>> {
  if (!imported.runs) return singleRows.between(teamId, id, first, last);
  const found = new Map<string, ExportPerson>();
  const now = epochSeconds();
  const run = mergedRun(imported);
  for await (const chunk of table.queryAll<ChunkItem>(upTo(teamId, id, run, last, perPage))) {
    if (chunk.ttl > now) for (const person of peopleIn(chunk)) found.set(person.email, person);
    if (chunk.sk <= `${run} ${first}`) break;
  }
  return found;
}

/** Removes the rows of an address from all runs of a campaign's imports. */
export async function erase(teamId: number, id: number, email: string): Promise<void> {
  await singleRows.erase(teamId, id, email);
  // From the last run on: the last chunk up to a place belongs to the run of the place, or names the run before it.
  for (let place = '~'; ; ) {
    const pk = partitions.audienceRows(teamId, id);
    const last = { ...table.within(pk, { between: [' ', place] }), ScanIndexForward: false, Limit: perAddress };
    const { items } = await table.query<ChunkItem>({ ...last, ConsistentRead: true });
    if (!items[0]) return;
    const run = items[0].sk.slice(0, items[0].sk.indexOf(' '));
    const own = `${run} ${email}`;
    place = own;
    if (items[0].sk > own) continue;
    const chunks = items.filter(({ sk }) => sk.startsWith(`${run} `));
    const erased: boolean[] = [];
    for (const chunk of chunks) erased.push(await without(teamId, id, run, chunk, email));
    if (erased.every(Boolean)) place = run;
  }
}

/** Removes an address from a chunk, and from its key; false when the chunk changed since it was read. */
function without(teamId: number, id: number, run: string, chunk: ChunkItem, email: string): Promise<boolean> {
  const before = peopleIn(chunk);
  const left = before.filter((person) => person.email !== email);
  if (left.length === before.length) return Promise.resolve(true);
  const asRead = { ConditionExpression: '#rows = :rows', ExpressionAttributeValues: { ':rows': chunk.rows } };
  const { pk, sk, ttl } = chunk;
  const [after] = left.length > 0 ? [chunkOf(teamId, id, run, left, ttl)] : [];
  if (after?.sk === sk) return table.transactIf([{ Put: { Item: after, ...asRead } }]);
  return table.transactIf([{ Delete: { Key: { pk, sk }, ...asRead } }, ...(after ? [{ Put: { Item: after } }] : [])]);
}
