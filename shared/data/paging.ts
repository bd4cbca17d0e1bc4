/** A row of a listing with its position in the order. */
export interface Positioned<T> {
  position: string;
  item: T;
}

/** Which way a listing is read: `forward` is the order it is shown in. */
export type Direction = 'forward' | 'backward';

/** A listing: rows strictly after (backward: before) a position or from the start; the reader wants about `batch`. */
export type Source<T> = (direction: Direction, from: string | undefined, batch: number) => AsyncIterable<Positioned<T>>;

/** The position that a search has reached: a reader that goes on from there misses nothing and repeats nothing. */
interface Reached {
  reached: string;
  /** How many rows it has read since the last one. */
  read: number;
}

/** A listing that may read many rows to find one: from time to time it yields the position it has reached. */
export type Search<T> = (
  direction: Direction,
  from: string | undefined,
  batch: number,
) => AsyncIterable<Positioned<T> | Reached>;

/** One page of a listing, in the listing's order, with the positions to go on from. */
export interface Page<T> {
  items: T[];
  next: string | undefined;
  prev: string | undefined;
}

/** Where a search ends with what it has found: a time (epoch milliseconds), and a number of rows read. */
export interface SearchBounds {
  deadline?: number;
  rows?: number;
}

/** Reads `count` rows, or fewer at a bound; `stopped` is then the position it has reached. */
async function take<T>(
  source: Search<T>,
  direction: Direction,
  from: string | undefined,
  count: number,
  { deadline = Number.POSITIVE_INFINITY, rows: maxRead = Number.POSITIVE_INFINITY }: SearchBounds = {},
): Promise<{ rows: Positioned<T>[]; stopped?: string }> {
  const rows: Positioned<T>[] = [];
  let read = 0;
  for await (const row of source(direction, from, count)) {
    if ('item' in row) rows.push(row);
    else {
      read += row.read;
      if (Date.now() > deadline || read >= maxRead) return { rows, stopped: row.reached };
    }
    if (rows.length === count) break;
  }
  return { rows };
}

/** Reads one page, short at a bound; `next` and `prev` exist where rows may follow. */
export async function readPage<T>(
  source: Search<T>,
  direction: Direction,
  from: string | undefined,
  size: number,
  bounds?: SearchBounds,
): Promise<Page<T>> {
  const { rows, stopped } = await take(source, direction, from, size + 1, bounds);
  const shown = rows.slice(0, size);
  const far = rows.length > size ? shown.at(-1)!.position : stopped;
  const near = shown[0]?.position ?? stopped ?? from;
  if (direction === 'backward') shown.reverse();
  const opposite: Direction = direction === 'forward' ? 'backward' : 'forward';
  const before = from === undefined || near === undefined ? undefined : await take(source, opposite, near, 1, bounds);
  const behind = before && (before.rows.length > 0 || before.stopped !== undefined) ? near : undefined;
  const [next, prev] = direction === 'forward' ? [far, behind] : [behind, far];
  return { items: shown.map((row) => row.item), next, prev };
}

/** After so many rows a search says how far it is. */
const searchStep = 100;
const maxBatch = 1_000;

/** A listing of only the rows that pass, in the same order. */
export function filtered<T>(source: Search<T>, passes: (item: T) => boolean): Search<T> {
  return async function* (direction, from, batch) {
    let read = 0;
    for await (const row of source(direction, from, batch)) {
      if (!('item' in row) || passes(row.item)) yield row;
      if ('item' in row && ++read % searchStep === 0) yield { reached: row.position, read: searchStep };
    }
  };
}

/** A listing of only the rows that `select` returns of a batch, in the same order; batches grow with what they miss. */
export function selected<T>(source: Search<T>, select: (items: T[]) => Promise<T[]>): Search<T> {
  return async function* (direction, from, batch) {
    let [size, read, found] = [batch, 0, 0];
    let waiting: Positioned<T>[] = [];
    async function* flush(): AsyncGenerator<Positioned<T>> {
      const passed = new Set(waiting.length > 0 ? await select(waiting.map((row) => row.item)) : []);
      for (const row of waiting) if (passed.has(row.item)) yield row;
      [read, found] = [read + waiting.length, found + passed.size];
      waiting = [];
      const wanted = found < batch ? batch - found : batch;
      const needed = found === 0 ? maxBatch : Math.ceil((wanted * read) / found);
      size = Math.min(needed, size * 4, maxBatch);
    }
    for await (const row of source(direction, from, batch)) {
      if ('item' in row) waiting.push(row);
      if ('item' in row && waiting.length < size) continue;
      const reached = 'item' in row ? row.position : row.reached;
      const searched = waiting.length;
      yield* flush();
      yield { reached, read: searched };
    }
    yield* flush();
  };
}

/** Several listings in one order, `ascending` by position or not; a row that is in several is listed once. */
export function merged<T>(sources: readonly Source<T>[], ascending: boolean): Source<T>;
export function merged<T>(sources: readonly Search<T>[], ascending: boolean): Search<T>;
export function merged<T>(sources: readonly Search<T>[], ascending: boolean): Search<T> {
  const positionOf = (row: Positioned<T> | Reached) => ('item' in row ? row.position : row.reached);
  return async function* (direction, from, batch) {
    const up = ascending === (direction === 'forward');
    const heads = await Promise.all(
      sources.map(async (source) => {
        const iterator = source(direction, from, batch)[Symbol.asyncIterator]();
        return { iterator, head: await iterator.next() };
      }),
    );
    let last: string | undefined;
    for (;;) {
      const live = heads.filter((entry) => !entry.head.done);
      if (live.length === 0) return;
      const precedes = (a: string, b: string) => (up ? a < b : a > b);
      const first = live.reduce((best, entry) =>
        precedes(positionOf(entry.head.value), positionOf(best.head.value)) ? entry : best,
      );
      const row = first.head.value as Positioned<T> | Reached;
      if (!('item' in row) || row.position !== last) yield row;
      if ('item' in row) last = row.position;
      first.head = await first.iterator.next();
    }
  };
}

/** A BatchGet reads so many. */
const maxLookup = 100;

/** A listing whose rows are looked up a batch at a time; rows that resolve to undefined are left out. */
export function resolved<A, B>(source: Source<A>, resolve: (items: A[]) => Promise<(B | undefined)[]>): Source<B>;
export function resolved<A, B>(source: Search<A>, resolve: (items: A[]) => Promise<(B | undefined)[]>): Search<B>;
export function resolved<A, B>(source: Search<A>, resolve: (items: A[]) => Promise<(B | undefined)[]>): Search<B> {
  return async function* (direction, from, batch) {
    let waiting: Positioned<A>[] = [];
    let size = Math.min(batch, maxLookup);
    async function* flush(): AsyncGenerator<Positioned<B>> {
      const found = await resolve(waiting.map((row) => row.item));
      for (const [index, row] of waiting.entries()) {
        const item = found[index];
        if (item !== undefined) yield { position: row.position, item };
      }
      waiting = [];
      size = Math.min(size * 2, maxLookup);
    }
    for await (const row of source(direction, from, batch)) {
      if ('item' in row) waiting.push(row);
      if (!('item' in row) || waiting.length >= size) yield* flush();
      if (!('item' in row)) yield row;
    }
    if (waiting.length > 0) yield* flush();
  };
}
