/** One page of a listing. */
export interface Page<T> {
  data: T[];
  per_page: number;
  next_cursor: string | null;
  prev_cursor: string | null;
  next_page_url: string | null;
  prev_page_url: string | null;
  has_more: boolean;
}

/** Query parameters of every listing. */
export interface PageQuery {
  per_page?: number;
  cursor?: string;
}

const maxPerPage = 100;

/** A listing, read lazily page by page: `for await (const contact of client.contacts.list())`. */
export class Listing<T> implements AsyncIterable<T> {
  readonly #read: (query: PageQuery) => Promise<Page<T>>;
  readonly #query: PageQuery;

  constructor(read: (query: PageQuery) => Promise<Page<T>>, query: PageQuery = {}) {
    this.#read = read;
    this.#query = query;
  }

  /** One page: the first, or the page at the query's `cursor`. */
  page(): Promise<Page<T>> {
    return this.#read(this.#query);
  }

  /** All following pages, of 100 records by default; a short or empty page need not be the last. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let query: PageQuery = { per_page: maxPerPage, ...this.#query };
    for (;;) {
      const page = await this.#read(query);
      yield page;
      if (page.next_cursor === null) return;
      query = { ...query, cursor: page.next_cursor };
    }
  }

  /** Every record of every page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** All records at once. */
  async toArray(): Promise<T[]> {
    const found: T[] = [];
    for await (const { data } of this.pages()) found.push(...data);
    return found;
  }
}
