import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { Problem } from '../problem.ts';
import type { Resources } from '../template/resource.ts';

/** A CloudFront distribution before the HTTP API: a port of its own, whose web ACL lets everybody through. */
export interface RunningDistribution {
  /** Address without a trailing slash. */
  url: string;
  close(): void;
}

/** Opens the template's distribution before the HTTP API; undefined where it has none. */
export async function openDistribution(resources: Resources, api: string): Promise<RunningDistribution | undefined> {
  const [distribution, other] = resources.ofType('AWS::CloudFront::Distribution');
  if (other) throw new Problem('The local stack runs one CloudFront distribution; the template has more.');
  if (!distribution) return undefined;
  const custom = customHeaders(distribution.properties.DistributionConfig.Origins);
  const server = createServer((viewer, response) => forward(viewer, response, api, custom));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Origin = { OriginCustomHeaders?: { HeaderName: string; HeaderValue: string }[] };

function customHeaders([origin, ...others]: Origin[]): Record<string, string> {
  if (!origin || others.length > 0) throw new Problem('The local stack runs distributions of one origin.');
  return Object.fromEntries(
    origin.OriginCustomHeaders?.map(({ HeaderName, HeaderValue }) => [HeaderName, HeaderValue]) ?? [],
  );
}

/** As CloudFront does: adds the viewer's address, sets its own headers over the viewer's, and keeps `Host` back. */
function forward(viewer: IncomingMessage, response: ServerResponse, api: string, custom: Record<string, string>): void {
  const { host: _host, ...headers } = viewer.headers;
  const hops = [viewer.headers['x-forwarded-for'] ?? [], viewer.socket.remoteAddress ?? ''].flat();
  const forwarded = { ...headers, 'x-forwarded-for': hops.join(', '), ...custom };
  const sent = request(`${api}${viewer.url}`, { method: viewer.method, headers: forwarded }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => {});
  });
  sent.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => sent.destroy());
  viewer.pipe(sent);
}
