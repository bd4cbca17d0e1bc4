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

/** What every listing takes. */
export interface PageQuery {
  per_page?: number;
  cursor?: string;
}

const mostPerPage = 100;

/** The records of a listing, read when they are asked for: `for await (const contact of client.contacts.list())`. */
export class Listing<T> implements AsyncIterable<T> {
  readonly #read: (query: PageQuery) => Promise<Page<T>>;
  readonly #query: PageQuery;

  /** `query` names the first page. */
  constructor(read: (query: PageQuery) => Promise<Page<T>>, query: PageQuery = {}) {
    this.#read = read;
    this.#query = query;
  }

  /** One page: the first, or the one at the query's `cursor`. */
  page(): Promise<Page<T>> {
    return this.#read(this.#query);
  }

  /** Every page from there on, of 100 records unless the query says otherwise; one may be short, even empty, and not be the last. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let query: PageQuery = { per_page: mostPerPage, ...this.#query };
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
