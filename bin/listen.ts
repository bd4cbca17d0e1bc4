// `npm run listen` subscribes a receiver on this machine to all events of the local stack's demo team, verifies their
// signatures and prints them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ApiError, Mailwright, signatureHeader, verifyWebhook } from '../client/src/index.ts';
import { Explained, findLocalStack } from './local-stack.ts';

try {
  await main();
} catch (error) {
  if (!(error instanceof Explained)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { base_url: baseUrl, api_key: apiKey } = findLocalStack().api;
  const client = new Mailwright({ baseUrl, apiKey });
  let secret = '';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const signature = request.headers[signatureHeader.toLowerCase()] as string | undefined;
    try {
      const { type, id } = await verifyWebhook({ body, signature, secret, now: await stackTime(baseUrl) });
      console.log(`verified ${type} ${id}`);
      response.writeHead(204).end();
    } catch (error) {
      console.log(`refused: ${(error as Error).message}`);
      response.writeHead(400).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const webhook = await client.webhooks.create({ url, events: ['*'] }).catch((error) => {
    server.close();
    throw error instanceof ApiError && error.errors.url ? notAllowed(error) : error;
  });
  secret = webhook.secret;
  console.log(`listening at ${url} as webhook ${webhook.id}; Ctrl-C ends it`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(
      signal,
      () => void client.webhooks.delete(webhook.id, { maxRetries: 0 }).finally(() => process.exit()),
    );
  await client.webhooks.test(webhook.id);
}

/** The time of the stack's clock. */
async function stackTime(baseUrl: string): Promise<Date> {
  const response = await fetch(new URL('/_local/clock', baseUrl));
  return new Date(((await response.json()) as { now: string }).now);
}

function notAllowed({ message }: ApiError): Explained {
  return new Explained(
    `${message}\nStart the stack so that it may call this machine: npm start -- -c webhookAllowLoopback=true`,
  );
}
