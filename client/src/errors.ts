import type { Blocker, ErrorBody, ErrorCode } from './generated/types.ts';

/** An error response of the API. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The stable error code; `unreadable` when the response is not in the form of this API. */
  readonly code: ErrorCode | 'unreadable';
  /** Messages by field path, `contacts.3.email`; of a `validation_error`. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** The reasons of a `send_blocked`. */
  readonly blockers: readonly Blocker[];
  /** The id of the request in the server's logs. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<ErrorBody>, headers: Headers) {
    super(body.message ?? `HTTP ${status}, and not in the form of this API: is the base URL right?`);
    this.status = status;
    this.code = body.code ?? 'unreadable';
    this.errors = body.errors ?? {};
    this.blockers = body.blockers ?? [];
    this.requestId = body.request_id ?? headers.get('x-request-id') ?? undefined;
    this.retryAfter = secondsOf(headers.get('retry-after'));
  }
}

/** No usable response: no connection, a timeout, or a response not from this API. A write may have taken effect. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** `Retry-After` holds seconds or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (!retryAfter) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
