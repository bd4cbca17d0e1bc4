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

/** Answers a request; `lost` when the caller is to see its connection break. */
export type Answering = (request: AwsRequest) => Promise<Answer | 'lost'>;

/** A connection that is always there. */
const connection = { connecting: false, setKeepAlive() {}, setTimeout() {}, removeListener() {}, destroy() {} };

/**
 * Answers what the SDK clients of this process ask of its own AWS endpoint without a socket, which saves CPU on every
 * call; everything else goes over the network as before. Returns a function that undoes it.
 */
export function answerInProcess(port: number, answer: Answering): () => void {
  const overNetwork = http.request;
  // A service knows nothing of the function that calls it.
  const outside = AsyncLocalStorage.snapshot();
  const request = (options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest => {
    const { port: asked, host, headers = {} } = options;
    if (Number(asked) !== port || host !== '127.0.0.1' || 'expect' in headers || 'Expect' in headers)
      return overNetwork(options, onResponse);
    const begun = new InProcessRequest(options, (received) => outside(answer, received));
    return begun.once('response', onResponse) as unknown as ClientRequest;
  };
  http.request = request as typeof http.request;
  return () => {
    http.request = overNetwork;
  };
}

/** As much of Node's ClientRequest as the SDK's HTTP handler uses. */
class InProcessRequest extends EventEmitter {
  readonly socket = connection;
  destroyed = false;
  readonly #options: RequestOptions;
  readonly #answer: Answering;
  readonly #chunks: Buffer[] = [];

  constructor(options: RequestOptions, answer: Answering) {
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
    const { method, path, headers = {} } = this.#options;
    const received = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    // A call takes a turn of the event loop at least, as one over a socket does: nobody starves the others.
    await new Promise((done) => real.setImmediate(done));
    const answered = await this.#answer({
      method: method ?? 'GET',
      path: path ?? '/',
      headers: Object.fromEntries(received),
      body: Buffer.concat(this.#chunks),
    });
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
