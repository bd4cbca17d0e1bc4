/** Machine-readable words of the error body (docs/api.md#errors). */
export const errorCodes = [
  'unauthenticated',
  'plan_excludes_api',
  'missing_scope',
  'address_not_allowed',
  'not_found',
  'method_not_allowed',
  'idempotency_in_progress',
  'payload_too_large',
  'validation_error',
  'not_applicable',
  'send_blocked',
  'still_settling',
  'idempotency_key_reused',
  'recipient_suppressed',
  'sending_domain_unverified',
  'plan_allowance_exceeded',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const;

/** One word of the error body. */
export type ErrorCode = (typeof errorCodes)[number];

/** The stable words for requirements of a send that are not met (docs/api.md#campaigns). */
export const blockerWords = [
  'name_missing',
  'subject_missing',
  'content_missing',
  'from_email_missing',
  'sending_domain_unverified',
  'unsubscribe_link_missing',
  'audience_missing',
  'audience_empty',
  'plan_allowance_exceeded',
  'abuse_screening_failed',
  'variants_missing',
  'warehouse_not_configured',
  'sending_suspended',
  'sandboxed',
] as const;

/** One unmet requirement. */
export type Blocker = (typeof blockerWords)[number];

/** Messages per field path; paths use dots and indexes: `contacts.3.email`. */
export type FieldErrors = Record<string, string[]>;

interface Details {
  errors?: FieldErrors;
  blockers?: readonly Blocker[];
  retryAfterSeconds?: number;
  /** The methods that a path has. */
  allow?: readonly string[];
}

/** An error that the client may see; any other error becomes a generic 500. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: Details;

  constructor(status: number, code: ErrorCode, message: string, details: Details = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** 404: no such record for this team. */
export class NotFound extends ApiError {
  constructor(what = 'resource') {
    super(404, 'not_found', `No such ${what}.`);
  }
}

/** 405: the path has other methods. */
export class MethodNotAllowed extends ApiError {
  constructor(method: string, allow: readonly string[]) {
    super(405, 'method_not_allowed', `${method} is not allowed here, but ${allow.join(', ')}.`, { allow });
  }
}

/** The record, or 404 where there is none. */
export function orNotFound<T>(record: T | undefined, what: string): T {
  if (record === undefined) throw new NotFound(what);
  return record;
}

/** Fields that a refusal lists; its message counts all of them. An answer has room for 6 MB (Lambda). */
const maxFields = 100;

/** 422 `validation_error` with messages per field path. */
export class ValidationError extends ApiError {
  constructor(errors: FieldErrors) {
    const all = Object.entries(errors);
    const [[path, messages] = ['body', ['invalid']], ...rest] = all;
    const more = rest.length > 0 ? ` (and ${rest.length} more)` : '';
    super(422, 'validation_error', `${path}: ${messages[0]}${more}`, {
      errors: Object.fromEntries(all.slice(0, maxFields)),
    });
  }
}

/** 422 `not_applicable`: the record's state forbids the request. */
export class NotApplicable extends ApiError {
  constructor(message: string) {
    super(422, 'not_applicable', message);
  }
}

/** 422 `send_blocked` with the blockers' stable words, and what screening found in the content. */
export class SendBlocked extends ApiError {
  constructor(blockers: readonly Blocker[], findings: readonly string[] = []) {
    const why = findings.length > 0 ? ` (${findings.join('; ')})` : '';
    super(422, 'send_blocked', `Nothing can be sent: ${blockers.join(', ')}${why}.`, { blockers });
  }
}

/** 422 `still_settling`: SES may report on unknown recipients until a time. */
export class StillSettling extends ApiError {
  constructor(until: string) {
    super(422, 'still_settling', `The provider may still report on unknown recipients until ${until}; try again then.`);
  }
}

/** 503: a dependency still throttles or times out after retries. */
export class Unavailable extends ApiError {
  constructor(message = 'A dependency is busy; try again.', retryAfterSeconds = 1) {
    super(503, 'unavailable', message, { retryAfterSeconds });
  }
}
