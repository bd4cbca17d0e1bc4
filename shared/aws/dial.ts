import { lookup } from 'node:dns/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import {
  type Address,
  type Exceptions,
  parseTarget,
  publicAddresses,
  RefusedTarget,
  type Resolve,
} from '../domain/webhooks/public-address.ts';

/** A POST to a server that a customer named. */
export interface Call {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The response, or a stable short word for why there is none or why it was cut. */
export interface Answer {
  status: number | null;
  /** The first characters of the body. */
  body: string | null;
  error?: string;
}

/** Overrides of the defaults. */
export interface DialOptions extends Exceptions {
  resolve?: Resolve;
  timeoutMs?: number;
}

/** For the connection and the response together. */
const timeoutMs = 15_000;
const maxBytesRead = 64 * 1_024;
const maxCharactersKept = 1_024;

/** All addresses of a host name, by the system's resolver. */
const systemResolve: Resolve = async (hostname) => (await lookup(hostname, { all: true, verbatim: true })) as Address[];

/** Checks that a URL leads to public addresses only; throws RefusedTarget, and the timeout when DNS is too slow. */
export async function checkTarget(text: string, options: DialOptions): Promise<void> {
  const { resolve = systemResolve, timeoutMs: limit = timeoutMs } = options;
  const over = AbortSignal.timeout(limit);
  await publicAddresses(parseTarget(text), (host) => untilOver(resolve(host), over), options);
}

/**
 * Calls a server that a customer named. Resolves the name, checks every address, and connects to those addresses only;
 * follows no redirects, and limits time and size. Never throws: a failure is an Answer with an `error`.
 */
export async function dial(call: Call, options: DialOptions): Promise<Answer> {
  const { resolve = systemResolve, timeoutMs: limit = timeoutMs } = options;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Failure('timeout')), limit);
  try {
    const url = parseTarget(call.url);
    const addresses = await untilOver(publicAddresses(url, resolve, options), over.signal);
    return await post(call, url, addresses, over.signal);
  } catch (error) {
    return { status: null, body: null, error: wordFor(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** An error whose message is the stable word. */
class Failure extends Error {}

function untilOver<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ]);
}

function post(call: Call, url: URL, addresses: Address[], signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { request } = url.protocol === 'https:' ? https : http;
  const sent = request(url, {
    method: 'POST',
    headers: { ...call.headers, 'Content-Length': Buffer.byteLength(call.body) },
    // A connection kept while Lambda freezes the function would break at the next call.
    agent: false,
    lookup: pinned(addresses),
  });
  signal.addEventListener('abort', () => {
    reject(signal.reason);
    sent.destroy();
  });
  sent.on('error', reject);
  // 101: the connection is no longer HTTP and would stay open.
  sent.on('upgrade', ({ statusCode }) => {
    sent.destroy();
    resolve({ status: statusCode ?? null, body: null });
  });
  sent.on('response', (response) => {
    read(response)
      .then(resolve, reject)
      .finally(() => sent.destroy());
  });
  sent.end(call.body);
  return promise;
}

/** Answers every DNS lookup with the addresses that were checked; a literal address needs no lookup. */
function pinned(addresses: Address[]): NonNullable<RequestOptions['lookup']> {
  return (_hostname, options, done) => {
    if (options.all) done(null, addresses);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };
}

async function read(response: IncomingMessage): Promise<Answer> {
  const status = response.statusCode ?? null;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytesRead) break;
    }
  } catch (error) {
    return { status, body: textOf(chunks), error: wordFor(error) };
  }
  return { status, body: textOf(chunks), ...(size > maxBytesRead && { error: 'too large' }) };
}

const textOf = (chunks: Buffer[]): string =>
  Buffer.concat(chunks)
    .subarray(0, 4 * maxCharactersKept)
    .toString()
    .slice(0, maxCharactersKept)
    .toWellFormed();

const wordsByCode: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ECONNABORTED: 'connection closed',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
};

/** The stable word for an error. */
function wordFor(error: unknown): string {
  if (error instanceof Failure) return error.message;
  if (error instanceof RefusedTarget) return error.reason;
  const { code = '', errors } = error as { code?: string; errors?: { code?: string }[] };
  const word = wordsByCode[code] ?? wordsByCode[errors?.[0]?.code ?? ''];
  if (word) return word;
  if (code.startsWith('HPE_')) return 'malformed answer';
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_OSSL)/.test(code))
    return 'tls';
  return 'connection failed';
}
