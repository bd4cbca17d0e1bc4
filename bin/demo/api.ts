import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Explained, notRunning } from '../local-stack.ts';

const attempts = 5;
/** A wait that is worth a line. */
const longWaitSeconds = 5;

/** A refusal of the API, as its error body tells it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Messages per field path. */
  readonly errors: Record<string, string[]>;
  readonly blockers: string[];

  constructor(status: number, body: Partial<Refusal>) {
    super(body.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? '';
    this.errors = body.errors ?? {};
    this.blockers = body.blockers ?? [];
  }
}

/** A client of the API with one key: it waits where it is told to, and every write carries an Idempotency-Key, so that trying again is safe. */
export class Api {
  readonly baseUrl: string;
  readonly #key: string;

  /** `baseUrl` with or without its `/v1`. */
  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl.replace(/(?:\/v1)?\/*$/, '/v1');
    this.#key = key;
  }

  /** Calls an endpoint and gives the body of its answer; throws a Refusal for a 4xx. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the record that it asked for
  async call(method: string, path: string, body?: unknown, idempotencyKey: string = randomUUID()): Promise<any> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#send(method, path, body, idempotencyKey);
      if (response?.ok) return response.json();
      const wait = response?.headers.get('retry-after');
      const again = response === undefined || response.status >= 500 || wait;
      // A rate limit passes for certain; everything else is given a few chances.
      if (!again || (attempt >= attempts && response?.status !== 429)) throw await refusalOf(response, this.baseUrl);
      if (Number(wait) >= longWaitSeconds) console.error(`  the API asks to wait: going on in ${wait} s`);
      await sleep(wait ? Number(wait) * 1000 : 200 * 2 ** attempt);
    }
  }

  async #send(method: string, path: string, body: unknown, idempotencyKey: string): Promise<Response | undefined> {
    try {
      return await fetch(this.baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(method !== 'GET' && { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch {
      return undefined;
    }
  }
}

async function refusalOf(response: Response | undefined, baseUrl: string): Promise<Error> {
  if (!response) return process.env.MAILWRIGHT_URL ? new Explained(`Nothing answers at ${baseUrl}.`) : notRunning();
  const text = await response.text();
  try {
    return new Refusal(response.status, JSON.parse(text));
  } catch {
    return new Explained(`${response.url} answered ${response.status}, and not in the form of this API.`);
  }
}
