import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as store from '../data/idempotency.ts';
import { atTheEnd } from '../data/request-deadline.ts';
import type { Sealing } from '../data/sealing.ts';
import { ApiError, ValidationError } from '../domain/errors.ts';
import type { Operation } from '../domain/operation.ts';
import { isSealed } from '../domain/sealed.ts';

/** A stored answer, to be sent again. */
export interface Replay {
  status: number;
  body: string;
}

/** A write in progress: its operation, and how to end it. */
export interface Execution {
  operation: Operation;
  /** Stores a final answer for replays, or frees the key after a 5xx, a 429 or a 403: another API key may do it. */
  finish(status: number, body: string): Promise<void>;
}

/** A write without an Idempotency-Key: nothing is remembered beyond this call. */
export const plainExecution = (): Execution => ({
  operation: {
    id: randomUUID(),
    startedAt: new Date(),
    memoize: async (_name, make) => make(),
    remembers: () => false,
    clear: async () => {},
  },
  finish: async () => {},
});

/**
 * Claims the key for this request: an execution to go on with, or the earlier answer; throws 409 or 422. An answer that
 * shows a secret is stored sealed.
 */
export async function begin(
  teamId: number,
  key: string,
  request: { method: string; path: string; body: string; who: string },
  sealing?: Sealing,
): Promise<{ execution: Execution } | { replay: Replay }> {
  if (key.length < 1 || key.length > 255)
    throw new ValidationError({ 'Idempotency-Key': ['a key has 1 to 255 characters'] });
  const hash = createHash('sha256')
    .update(`${request.method}\n${request.path}\n${request.who}\n${request.body}`)
    .digest('base64');
  const leaseId = randomUUID();
  const { outcome, item } = await store.claim(teamId, key, hash, leaseId);
  if (outcome === 'claimed') return { execution: execution(teamId, key, leaseId, item, sealing) };
  if (item.request !== hash)
    throw new ApiError(
      422,
      'idempotency_key_reused',
      'This Idempotency-Key was used with another method, path or body.',
    );
  if (item.status === undefined)
    throw new ApiError(409, 'idempotency_in_progress', 'A request with this Idempotency-Key is still executing.', {
      retryAfterSeconds: 1,
    });
  const stored = await store.answer(teamId, item);
  const body = isSealed(stored) ? await sealing!.open(teamId, recordOf(key), stored) : gunzipSync(stored).toString();
  return { replay: { status: item.status, body } };
}

const recordOf = (key: string): string => `idempotency ${key}`;

const execution = (
  teamId: number,
  key: string,
  leaseId: string,
  item: store.IdempotencyItem,
  sealing: Sealing | undefined,
): Execution => ({
  operation: {
    id: item.operation_id,
    startedAt: new Date(item.started_at),
    async memoize<T>(name: string, make: () => T | Promise<T>): Promise<T> {
      const known = item.remembered?.[name];
      if (known !== undefined) return known as T;
      return (await store.memoize(teamId, key, name, await make())) as T;
    },
    remembers: (name) => item.remembered?.[name] !== undefined,
    clear: (name) => store.clear(teamId, key, name),
  },
  finish: (status, body) =>
    atTheEnd(async () => {
      if (status >= 500 || status === 429 || status === 403) return store.release(teamId, key, leaseId);
      const stored = sealing ? await sealing.seal(teamId, recordOf(key), body) : body;
      await store.complete(teamId, key, leaseId, status, typeof stored === 'string' ? gzipSync(stored) : stored);
    }),
});
