import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, inject, vi } from 'vitest';
import { forwardTo } from '../../../local/aws/forward.ts';
import { awsOf } from '../../support/stack.ts';

/**
 * Lets the SES calls of the flows in a test file pass, but for those that the test holds back. The SDK's client keeps
 * the address for as long as its process lives: only for files of the deep tier, which have a process each.
 */
export function useSesGate() {
  const held = new Map<string, { reach(): void; released: Promise<void> }>();
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const body = await buffer(request);
    const gate = held.get(`${method} ${path}`);
    held.delete(`${method} ${path}`);
    gate?.reach();
    await gate?.released;
    const sent = { method, path, headers: request.headers as Record<string, string>, body };
    const answer = await forwardTo(awsOf(inject('folder')).endpoint, sent);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    vi.stubEnv('AWS_ENDPOINT_URL_SESV2', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    /** Holds back the next deletion of a domain's identity; `reached` says that it waits. */
    holdDeletion(domain: string) {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      held.set(`DELETE /v2/email/identities/${domain}`, { reach, released });
      return { reached, release };
    },
  };
}
