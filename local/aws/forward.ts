import { Agent, type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Answer } from './errors.ts';
import type { AwsRequest } from './in-process.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Forwards a request to an external http endpoint, and returns its answer with the headers that the SDK reads. */
export async function forwardTo(endpoint: string, { method, path, headers, body }: AwsRequest): Promise<Answer> {
  const options = { agent, method, headers: { ...headers, host: new URL(endpoint).host } };
  const response = await new Promise<IncomingMessage>((done, fail) =>
    send(new URL(path, endpoint), options, done).on('error', fail).end(body),
  );
  const kept = Object.entries(response.headers).filter(([name]) => /^(?:content-type|x-amzn?-)/.test(name));
  return {
    status: response.statusCode ?? 502,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body: await buffer(response),
  };
}
