/** A row of a listing with its place in the listing's order. */
export interface Positioned<T> {
  position: string;
  item: T;
}

/** Which way a listing is read: `forward` is the order it is shown in. */
export type Direction = 'forward' | 'backward';

/** A listing: yields rows strictly after (or, backward, before) a position; without one, from the start (or the end). `batch` rows are wanted soon. */
export type Source<T> = (direction: Direction, from: string | undefined, batch: number) => AsyncIterable<Positioned<T>>;

/** One page of a listing, in the listing's order, with the positions to go on from. */
export interface Page<T> {
  items: T[];
  next: string | undefined;
  prev: string | undefined;
}

async function take<T>(
  source: Source<T>,
  direction: Direction,
  from: string | undefined,
  count: number,
): Promise<Positioned<T>[]> {
  const rows: Positioned<T>[] = [];
  for await (const row of source(direction, from, count)) {
    rows.push(row);
    if (rows.length === count) break;
  }
  return rows;
}

/** Reads one page; `next` and `prev` are there only when rows lie beyond. */
export async function readPage<T>(
  source: Source<T>,
  direction: Direction,
  from: string | undefined,
  size: number,
): Promise<Page<T>> {
  const rows = await take(source, direction, from, size + 1);
  const beyond = rows.length > size;
  const shown = rows.slice(0, size);
  if (direction === 'backward') shown.reverse();
  const opposite: Direction = direction === 'forward' ? 'backward' : 'forward';
  const edge = direction === 'forward' ? shown[0]?.position : shown.at(-1)?.position;
  const start = edge ?? from;
  const behind = from !== undefined && start !== undefined && (await take(source, opposite, start, 1)).length > 0;
  const first = shown[0]?.position ?? from;
  const last = shown.at(-1)?.position ?? from;
  const [hasNext, hasPrev] = direction === 'forward' ? [beyond, behind] : [behind, beyond];
  return { items: shown.map((row) => row.item), next: hasNext ? last : undefined, prev: hasPrev ? first : undefined };
}

const largestBatch = 1_000;

/** A listing of only the rows that pass, in the same order; it reads in ever larger batches while few do. */
export function filtered<T>(source: Source<T>, passes: (item: T) => boolean): Source<T> {
  return async function* (direction, from, batch) {
    let at = from;
    for (let size = batch; ; size = Math.min(size * 4, largestBatch)) {
      let seen = 0;
      for await (const row of source(direction, at, size)) {
        seen++;
        at = row.position;
        if (passes(row.item)) yield row;
        if (seen === size) break;
      }
      if (seen < size) return;
    }
  };
}

/** A listing whose rows are looked up a batch at a time; rows that resolve to undefined fall out. */
export function resolved<A, B>(source: Source<A>, resolve: (items: A[]) => Promise<(B | undefined)[]>): Source<B> {
  return async function* (direction, from, batch) {
    let waiting: Positioned<A>[] = [];
    async function* flush(): AsyncGenerator<Positioned<B>> {
      const found = await resolve(waiting.map((row) => row.item));
      for (const [index, row] of waiting.entries()) {
        const item = found[index];
        if (item !== undefined) yield { position: row.position, item };
      }
      waiting = [];
    }
    for await (const row of source(direction, from, batch)) {
      waiting.push(row);
      if (waiting.length >= Math.min(batch, 100)) yield* flush();
    }
    if (waiting.length > 0) yield* flush();
  };
}
