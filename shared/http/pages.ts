import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { log } from '../aws/log.ts';
import { escapeHtml } from '../domain/merge-tags.ts';
import { identifyAnonymous, rateHeaders } from './authentication.ts';

/** A public page's request. */
export interface PageRequest {
  params: Record<string, string | undefined>;
  /** The form that was posted. */
  form: URLSearchParams;
}

/** A page to show. */
export interface Page {
  status?: number;
  title: string;
  /** HTML of the page's main part; the caller escapes what is not its own. */
  main: string;
}

/** A public page: where it is, and what it shows. */
export interface PageRoute {
  method: 'GET' | 'POST';
  path: string;
  show(request: PageRequest): Promise<Page>;
}

/** Styles of every public page; light and dark, readable on a phone, nothing from elsewhere. */
const style = `:root{color-scheme:light dark}*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;font:1.0625rem/1.6 system-ui,sans-serif;background:light-dark(#f4f5f7,#15171a);color:light-dark(#1c1e21,#e8eaed)}main{width:100%;max-width:30rem;padding:2rem;border-radius:.75rem;background:light-dark(#fff,#202327);box-shadow:0 1px 3px #0003}h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.3}p{margin:0 0 1rem}p:last-child{margin:0}strong{overflow-wrap:anywhere}button{font:inherit;font-weight:600;padding:.7rem 1.4rem;border:0;border-radius:.5rem;background:#1a5fd0;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid #8ab4f8;outline-offset:2px}`;

function respond(
  { status = 200, title, main }: Page,
  headers: Record<string, string>,
): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      ...headers,
    },
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>${main}</main></body></html>`,
  };
}

function formOf(event: APIGatewayProxyEventV2): URLSearchParams {
  const body = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString() : (event.body ?? '');
  if (!event.headers['content-type']?.startsWith('multipart/form-data')) return new URLSearchParams(body);
  // RFC 8058 allows multipart/form-data: the only field we look for is found by its name and value.
  return new URLSearchParams(/name="?List-Unsubscribe"?\s+One-Click/i.test(body) ? 'List-Unsubscribe=One-Click' : '');
}

/** A Lambda handler for public pages, counted per source address; a failure shows a page that says what to do. */
export function servePages(routes: readonly PageRoute[]) {
  const byKey = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { requestId, http } = event.requestContext;
    const headers: Record<string, string> = { 'x-request-id': requestId };
    try {
      const { refusal, rate } = await identifyAnonymous(http.sourceIp);
      Object.assign(headers, rateHeaders(rate));
      const page = await shown(byKey.get(event.routeKey), event);
      // Mailbox providers unsubscribe many people from few addresses: a link of ours is always served, only guessing is limited.
      if (refusal && page.status === 404)
        return respond(tooMany, { ...headers, 'retry-after': String(rate.secondsLeft) });
      return respond(page, headers);
    } catch (error) {
      log.error('page failed', { request_id: requestId, route: event.routeKey, error: (error as Error).name });
      return respond(failed, { ...headers, 'retry-after': '60' });
    }
  };
}

const tooMany: Page = { status: 429, title: 'Too many requests', main: '<p>Please try again in a minute.</p>' };
const failed: Page = { status: 503, title: 'Something went wrong', main: '<p>Please try again in a minute.</p>' };
const nowhere: Page = { status: 404, title: 'Nothing here', main: '<p>This link leads nowhere.</p>' };

async function shown(route: PageRoute | undefined, event: APIGatewayProxyEventV2): Promise<Page> {
  return route ? route.show({ params: event.pathParameters ?? {}, form: formOf(event) }) : nowhere;
}
