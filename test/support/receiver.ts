import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
  body: any;
}

/** How a receiver answers a request; it may never answer. */
export type Behaviour = (request: Received, response: ServerResponse) => void;

/** A webhook receiver on this machine. */
export interface Receiver {
  url: string;
  received: Received[];
  /** The requests to one path. */
  to(path: string): Received[];
  /** Sets its behaviour on a path; by default it answers 200. */
  behave(path: string, behaviour: Behaviour): void;
  stop(): Promise<void>;
}

/** Starts a receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    const request = {
      path: incoming.url!,
      headers: incoming.headers,
      raw,
      body: raw === '' ? undefined : JSON.parse(raw),
    };
    received.push(request);
    const behaviour = behaviours.get(request.path);
    if (behaviour) behaviour(request, response);
    else response.end('ok');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    to: (path) => received.filter((request) => request.path === path),
    behave: (path, behaviour) => void behaviours.set(path, behaviour),
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The given secrets that signed this body; none when its signature is five minutes off `now` (seconds). */
export function signers({ headers, raw }: Received, secrets: readonly string[], now: number): string[] {
  const parts = String(headers['service-signature'])
    .split(',')
    .map((part) => part.split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d+$/.test(timestamp) || Math.abs(Number(timestamp) - now) > 300) return [];
  const given = parts.filter(([name]) => name === 'v1').map(([, hex]) => Buffer.from(hex ?? '', 'hex'));
  return secrets.filter((secret) => {
    const own = createHmac('sha256', secret).update(timestamp).update('.').update(raw).digest();
    return given.some((mac) => mac.length === own.length && timingSafeEqual(mac, own));
  });
}
