import { ApiError, ConnectionError } from './errors.ts';
import type { ErrorBody } from './generated/types.ts';
import { Listing, type Page, type PageQuery } from './listing.ts';

const firstPauseMs = 250;
const longestPauseMs = 8_000;

/** How a client works. */
export interface ClientOptions {
  /** Where the API answers, with or without its `/v1`. */
  baseUrl: string;
  /** A key is a secret: it has no place in a page that others open. */
  apiKey: string;
  /** Attempts after the first one, where trying again may help. @default 4 */
  maxRetries?: number;
  /** Milliseconds that an attempt may take; the API itself takes up to 29 seconds. @default 35_000 */
  timeoutMs?: number;
  /** The most seconds of `Retry-After` that are waited for; over it the error is thrown at once. @default 120 */
  maxRetryAfter?: number;
  /** Called before each wait. */
  onRetry?: (retry: Retry) => void;
  /** @default globalThis.fetch */
  fetch?: typeof globalThis.fetch;
}

/** How one request works. */
export interface RequestOptions {
  /** Ends the request with all its attempts and waits. */
  signal?: AbortSignal;
  /** Of a write; one is made up without it. The same request under the same key is executed once, for 24 hours. */
  idempotencyKey?: string;
  timeoutMs?: number;
  maxRetries?: number;
}

/** An attempt that failed and is followed by another one. */
export interface Retry {
  /** Counts from 1. */
  attempt: number;
  waitMs: number;
  error: ApiError | ConnectionError;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, unknown>>;

/** What a request carries. */
export interface Payload {
  query?: object;
  body?: unknown;
}

/** Sends requests: waits and tries again where that may help, and gives every write an Idempotency-Key, so that trying again is safe. */
export class Transport {
  /** With its `/v1`. */
  readonly baseUrl: string;
  readonly #apiKey: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.baseUrl = options.baseUrl.replace(/(?:\/v1)?\/*$/, '/v1');
    this.#apiKey = options.apiKey;
    this.#options = options;
  }

  /** The whole body of the answer; throws an ApiError or a ConnectionError, and the signal's reason where it was aborted. */
  async request<T>(method: Method, path: string, payload: Payload = {}, options: RequestOptions = {}): Promise<T> {
    const { maxRetries = this.#options.maxRetries ?? 4, signal } = options;
    const key = method === 'GET' ? undefined : (options.idempotencyKey ?? crypto.randomUUID());
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const outcome = await this.#attempt<T>(method, path, payload, key, options);
      if ('body' in outcome) return outcome.body;
      const { error } = outcome;
      const waitMs = attempt <= maxRetries ? this.#waitAfter(error, attempt) : undefined;
      if (waitMs === undefined) throw error;
      this.#options.onRetry?.({ attempt, waitMs, error });
      await pause(waitMs, signal);
    }
  }

  /** What the answer has under `data`. */
  async record<T>(method: Method, path: string, payload?: Payload, options?: RequestOptions): Promise<T> {
    const { data } = await this.request<{ data: T }>(method, path, payload, options);
    return data;
  }

  listing<T>(path: string, query: PageQuery | undefined, options: RequestOptions | undefined): Listing<T> {
    return new Listing<T>((page) => this.request<Page<T>>('GET', path, { query: page }, options), query);
  }

  async #attempt<T>(
    method: Method,
    path: string,
    { query, body }: Payload,
    key: string | undefined,
    { signal, timeoutMs = this.#options.timeoutMs ?? 35_000 }: RequestOptions,
  ): Promise<{ body: T } | { error: ApiError | ConnectionError }> {
    const { fetch = globalThis.fetch } = this.#options;
    const url = this.baseUrl + path + search(query as Query);
    const attempt = new AbortController();
    const timer = setTimeout(() => attempt.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const end = () => attempt.abort(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    try {
      const response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${this.#apiKey}`,
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: attempt.signal,
      });
      const answer = parsed(await response.text());
      if (!response.ok)
        return { error: new ApiError(response.status, (answer ?? {}) as Partial<ErrorBody>, response.headers) };
      if (answer === undefined)
        return { error: new ConnectionError(`${url} answered ${response.status}, and not in the form of this API`) };
      return { body: answer as T };
    } catch (cause) {
      signal?.throwIfAborted();
      const reason = (attempt.signal.aborted ? attempt.signal.reason : cause) as Error;
      return { error: new ConnectionError(`${method} ${url}: ${wordOf(reason)}`, { cause: reason }) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  /** Milliseconds until the next attempt; undefined where none would help. */
  #waitAfter(error: ApiError | ConnectionError, attempt: number): number | undefined {
    const backoff = Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
    if (error instanceof ConnectionError) return backoff;
    const { status, code, retryAfter } = error;
    if (status !== 429 && status < 500 && code !== 'idempotency_in_progress') return undefined;
    if (retryAfter === undefined) return backoff;
    // A little of their own, so that many who were told the same do not come back at once.
    return retryAfter <= (this.#options.maxRetryAfter ?? 120) ? retryAfter * 1000 + backoff / 4 : undefined;
  }
}

/** `fetch` says only that it failed; what did is its cause. */
const wordOf = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;

/** A path whose values are one segment each; throws where one would lead elsewhere. */
export function pathTo(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  const misleading = values.find((value) => /^\.{0,2}$/.test(String(value)));
  if (misleading !== undefined) throw new TypeError(`"${misleading}" names no record`);
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

/** Lists are one value, comma-separated; what is undefined is left out. */
function search(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`;
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
