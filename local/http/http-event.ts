import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { decode, type RouteMatch } from './routes.ts';

const textual = /^(text\/.*|application\/(json|javascript|xml))(;.*)?$/i;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A response as API Gateway reads it from a function's result. */
export interface HttpResult {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** The event in which an HTTP API hands a request to a function (payload format 2.0). */
export function httpEvent(request: IncomingMessage, url: URL, body: Buffer, match: RouteMatch): unknown {
  const now = new Date();
  const { cookie, ...received } = request.headers;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received))
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
    ...(cookie && { cookies: cookie.split(/;\s*/) }),
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
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(match.parameters).length > 0 && { pathParameters: match.parameters }),
    ...(body.length > 0 && { body: isText ? body.toString('utf8') : body.toString('base64') }),
    isBase64Encoded: !isText,
  };
}

/** Reads a function's result as API Gateway does: the documented object, or any other value as a JSON body. */
export function httpResult(value: unknown): HttpResult {
  const result = value as {
    statusCode?: number;
    headers?: Record<string, unknown>;
    cookies?: string[];
    body?: string;
    isBase64Encoded?: boolean;
  } | null;
  if (typeof result !== 'object' || result === null || typeof result.statusCode !== 'number') {
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    };
  }
  const headers: Record<string, string | string[]> = {};
  for (const [name, header] of Object.entries(result.headers ?? {})) headers[name.toLowerCase()] = String(header);
  if (result.cookies?.length) headers['set-cookie'] = result.cookies;
  const body = result.body ?? '';
  if (body && !headers['content-type']) headers['content-type'] = 'text/plain;charset=utf-8';
  return { status: result.statusCode, headers, body: Buffer.from(body, result.isBase64Encoded ? 'base64' : 'utf8') };
}

function queryParameters(search: URLSearchParams): Record<string, string> | undefined {
  const names = new Set(search.keys());
  if (names.size === 0) return undefined;
  return Object.fromEntries([...names].map((name) => [name, search.getAll(name).join(',')]));
}

function commonLogTime(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${two(moment.getUTCDate())}/${months[moment.getUTCMonth()]}/${moment.getUTCFullYear()}`;
  return `${day}:${two(moment.getUTCHours())}:${two(moment.getUTCMinutes())}:${two(moment.getUTCSeconds())} +0000`;
}
