import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A response; `hangUp` closes the connection, `silent` never responds. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'hangUp' | 'silent';

/** A server on a free port that gives the responses in order, and then repeats the last one. */
export async function answering(...answers: Answer[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const answer = answers[Math.min(received.length, answers.length - 1)]!;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (answer === 'hangUp') request.socket.destroy();
    else if (answer !== 'silent') {
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? { data: {} });
      response.writeHead(answer.status, answer.headers).end(text);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { baseUrl, received, [Symbol.asyncDispose]: close };
}
