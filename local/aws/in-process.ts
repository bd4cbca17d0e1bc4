import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { real } from '../clock.ts';
import type { Answer } from './errors.ts';

/** A request as the AWS endpoint reads it. */
export interface AwsRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** Answers a request; `lost` means that the connection must break without an answer. */
export type AwsHandler = (request: AwsRequest) => Promise<Answer | 'lost'>;

/** A socket that is always connected. */
const connection = { connecting: false, setKeepAlive() {}, setTimeout() {}, removeListener() {}, destroy() {} };

/**
 * Answers calls of this process's SDK clients to its own AWS endpoint without a socket, which saves CPU on each. Other
 * requests go over the network. Returns a function that restores the original behaviour.
 */
export function answerInProcess(port: number, answer: AwsHandler): () => void {
  const overNetwork = http.request;
  // Services must not run in the caller's asynchronous context.
  const outside = AsyncLocalStorage.snapshot();
  const request = (options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest => {
    const { port: asked, host, headers = {} } = options;
    if (Number(asked) !== port || host !== '127.0.0.1' || 'expect' in headers || 'Expect' in headers)
      return overNetwork(options, onResponse);
    const started = new InProcessRequest(options, (received) => outside(answer, received));
    return started.once('response', onResponse) as unknown as ClientRequest;
  };
  http.request = request as typeof http.request;
  return () => {
    http.request = overNetwork;
  };
}

/** The part of Node's ClientRequest that the SDK's HTTP handler uses. */
class InProcessRequest extends EventEmitter {
  readonly socket = connection;
  destroyed = false;
  readonly #options: RequestOptions;
  readonly #answer: AwsHandler;
  readonly #chunks: Buffer[] = [];

  constructor(options: RequestOptions, answer: AwsHandler) {
    super();
    this.#options = options;
    this.#answer = answer;
  }

  write(chunk: string | Uint8Array): boolean {
    this.#chunks.push(
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    );
    return true;
  }

  end(chunk?: string | Uint8Array): void {
    if (chunk) this.write(chunk);
    void this.#run();
  }

  destroy(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    if (error) this.emit('error', error);
    this.emit('close');
  }

  async #run(): Promise<void> {
    const { method = 'GET', path = '/', headers = {} } = this.#options;
    const received = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    // Like a call over a socket, it takes at least one turn of the event loop, so that calls do not starve others.
    await new Promise((done) => real.setImmediate(done));
    const body = Buffer.concat(this.#chunks);
    const answered = await this.#answer({ method, path: path ?? '/', headers: Object.fromEntries(received), body });
    if (this.destroyed) return;
    if (answered === 'lost') return this.destroy(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    this.emit('response', responseOf(answered));
    this.emit('close');
  }
}

function responseOf({ status, headers, body }: Answer): Readable {
  const response = new Readable({
    read() {
      if (body.length > 0) this.push(body);
      this.push(null);
    },
  });
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.assign(response, { statusCode: status, headers: Object.fromEntries(lowerCase), complete: true });
}
