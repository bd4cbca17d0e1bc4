import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { decode, type RouteMatch } from './routes.ts';

const textual = /^(text\/.*|application\/(json|javascript|xml))(;.*)?$/i;

/** A response to a client. */
export interface HttpResult {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The event with which an HTTP API invokes a function (payload format 2.0). */
export function httpEvent(request: IncomingMessage, url: URL, body: Buffer, match: RouteMatch): unknown {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers))
    headers[name] = Array.isArray(value) ? value.join(',') : String(value);
  const sourceIp = (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  headers['x-forwarded-for'] = headers['x-forwarded-for'] ? `${headers['x-forwarded-for']}, ${sourceIp}` : sourceIp;
  headers['x-forwarded-proto'] ??= 'http';
  headers['x-forwarded-port'] ??= String(request.socket.localPort);
  const domainName = headers.host ?? 'localhost';
  const path = decode(url.pathname);
  const query = queryParameters(url.searchParams);
  const isText = body.length === 0 || textual.test(headers['content-type'] ?? '');
  return {
    version: '2.0',
    routeKey: match.routeKey,
    rawPath: path,
    rawQueryString: url.search.slice(1),
    headers,
    ...(query && { queryStringParameters: query }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName,
      domainPrefix: domainName.split('.')[0],
      http: {
        method: request.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: match.routeKey,
      stage: '$default',
      timeEpoch: Date.now(),
    },
    ...(Object.keys(match.parameters).length > 0 && { pathParameters: match.parameters }),
    ...(body.length > 0 && { body: isText ? body.toString('utf8') : body.toString('base64') }),
    isBase64Encoded: !isText,
  };
}

/** What a function returns for a request. */
export interface LambdaResult {
  statusCode: number;
  headers?: Record<string, unknown>;
  body?: string;
}

/** The response to a client from a function's result. */
export function httpResult({ statusCode, headers: given = {}, body = '' }: LambdaResult): HttpResult {
  const headers: Record<string, string> = {};
  for (const [name, header] of Object.entries(given)) headers[name.toLowerCase()] = String(header);
  if (body) headers['content-type'] ??= 'text/plain;charset=utf-8';
  return { status: statusCode, headers, body: Buffer.from(body) };
}

function queryParameters(search: URLSearchParams): Record<string, string> | undefined {
  const names = new Set(search.keys());
  if (names.size === 0) return undefined;
  return Object.fromEntries([...names].map((name) => [name, search.getAll(name).join(',')]));
}
