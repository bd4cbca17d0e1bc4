import { Agent, request as send } from 'node:http';
import type { Answer } from './errors.ts';
import type { AwsRequest } from './in-process.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Forwards a request to an external http endpoint, and returns its answer with the headers that the SDK reads. */
export function forwardTo(endpoint: string, { method, path, headers, body }: AwsRequest): Promise<Answer> {
  return new Promise((done, fail) => {
    const { host } = new URL(endpoint);
    const options = { agent, method, headers: { ...headers, host } };
    const forwarded = send(new URL(path, endpoint), options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const kept = Object.entries(response.headers).filter(([name]) => /^(?:content-type|x-amzn?-)/.test(name));
        done({
          status: response.statusCode ?? 502,
          headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(chunks),
        });
      });
    });
    forwarded.on('error', fail);
    forwarded.end(body);
  });
}
