import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { config } from '../aws/config.ts';
import { logFailure } from '../aws/log.ts';
import { withinRequest } from '../data/request-deadline.ts';
import { escapeHtml } from '../domain/messages/merge-tags.ts';
import { identifyAnonymous, rateHeaders } from './authentication.ts';
import { addressOf } from './firewall.ts';
import { securityHeaders } from './headers.ts';
import { isHead, routesOf } from './routes.ts';

/** A public page's request. */
export interface PageRequest {
  params: Record<string, string | undefined>;
  query: URLSearchParams;
  /** The form that was posted. */
  form: URLSearchParams;
}

/** A page to show. */
export interface Page {
  status?: number;
  title: string;
  /** The page's heading, where it is not the title. */
  heading?: string;
  /** HTML of the page's main part; the caller escapes what is not its own. */
  main: string;
  /** Plots and tables need more room than a question. */
  wide?: boolean;
  /** HTML before the main part: the way to other pages. */
  nav?: string;
  /** Styles of its own, beside those of every page. */
  style?: string;
  /** Where, beside our own pages, the answer to its form may lead: a source of the Content-Security-Policy. */
  formLeadsTo?: 'https:';
}

/** A form is done with: the browser gets its next page from there, and a reload sends nothing again. */
export interface Redirect {
  redirect: string;
}

/** A public page: where it is, and what it shows. */
export interface PageRoute {
  method: 'GET' | 'POST';
  path: string;
  /** Refused to a source address that is over its limit of requests; without it only guessing at links is. */
  limited?: boolean;
  show(request: PageRequest): Promise<Page | Redirect>;
}

/** Styles of every public page; light and dark, readable on a phone, nothing from elsewhere. */
const styles = [
  ':root{color-scheme:light dark;--ink:light-dark(#1c1e21,#e8eaed);--quiet:light-dark(#5f6368,#9aa0a6);',
  '--line:light-dark(#80868b,#8a9096);--field:light-dark(#fff,#15171a);--wrong:light-dark(#b3261e,#f2b8b5);',
  '--link:light-dark(#1a5fd0,#8ab4f8)}*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;',
  'place-items:center;padding:1rem;font:1.0625rem/1.6 system-ui,sans-serif;',
  'background:light-dark(#f4f5f7,#15171a);color:var(--ink)}main{width:100%;max-width:30rem;padding:2rem;',
  'border-radius:.75rem;background:light-dark(#fff,#202327);box-shadow:0 1px 3px #0003;overflow-wrap:anywhere}',
  'main.wide{max-width:46rem}h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.3}p{margin:0 0 1rem}',
  'main>:last-child{margin-bottom:0}a{color:var(--link)}button,.go{display:inline-block;font:inherit;',
  'font-weight:600;padding:.7rem 1.4rem;border:0;border-radius:.5rem;background:#1a5fd0;color:#fff;',
  'text-decoration:none;cursor:pointer}button:hover,.go:hover{background:#174ea6}form{margin:0 0 1rem}',
  'label{display:block;font-weight:600}input{font:inherit;width:100%;margin:.25rem 0 1rem;padding:.6rem .75rem;',
  'border:1px solid var(--line);border-radius:.5rem;background:var(--field);color:inherit}',
  'input[aria-invalid]{border-color:var(--wrong);border-width:2px}',
  ':focus-visible{outline:3px solid light-dark(#1a5fd0,#8ab4f8);outline-offset:2px}',
  '.quiet{color:var(--quiet);font-size:.9375rem}.wrong{margin:.25rem 0 0;color:var(--wrong);font-weight:600}',
  '.note{padding:1rem;border-radius:.5rem;background:light-dark(#eef3fc,#2a3140)}.place{text-align:center}',
  '.place strong{display:block;font-size:2.75rem;line-height:1.2;font-variant-numeric:tabular-nums}',
  '.whole{user-select:all}',
].join('');

function answer(
  page: Page | Redirect,
  headers: Record<string, string>,
  withoutBody: boolean,
): APIGatewayProxyStructuredResultV2 {
  const always = {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...securityHeaders(config.baseUrl),
    ...headers,
  };
  if ('redirect' in page) return { statusCode: 303, headers: { location: page.redirect, ...always }, body: '' };
  const { status = 200, title, heading = title, main, wide, nav = '', style = '', formLeadsTo = '' } = page;
  return {
    statusCode: status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'; style-src 'unsafe-inline'",
        `form-action ${`'self' ${formLeadsTo}`.trim()}`,
        "base-uri 'none'; frame-ancestors 'none'",
      ].join('; '),
      'x-robots-tag': 'noindex',
      ...always,
    },
    body: withoutBody
      ? ''
      : [
          '<!doctype html><html lang="en"><head><meta charset="utf-8">',
          '<meta name="viewport" content="width=device-width,initial-scale=1">',
          `<title>${escapeHtml(title)}</title><style>${styles}${style}</style></head>`,
          `<body>${nav}<main${nav && ' id="main"'}${wide ? ' class="wide"' : ''}>`,
          `<h1>${escapeHtml(heading)}</h1>${main}</main></body></html>`,
        ].join(''),
  };
}

/** Our forms have a few short fields; reading megabytes of others would take seconds. */
const maxFormCharacters = 20_000;

/** The form that was posted; one that is longer than any of ours is empty. */
function formOf(event: APIGatewayProxyEventV2): URLSearchParams {
  if ((event.body ?? '').length > maxFormCharacters) return new URLSearchParams();
  const body = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString() : (event.body ?? '');
  if (!event.headers['content-type']?.startsWith('multipart/form-data')) return new URLSearchParams(body);
  // RFC 8058 allows multipart/form-data: the only field we look for is found by its name and value.
  return new URLSearchParams(/name="?List-Unsubscribe"?\s+One-Click/i.test(body) ? 'List-Unsubscribe=One-Click' : '');
}

/** A Lambda handler for public pages, counted per source address; a failure shows a page that says what to do. */
export function servePages(routes: readonly PageRoute[]) {
  const routeOf = routesOf(routes, ({ path }) => path);
  const respondTo = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { requestId } = event.requestContext;
    const headers: Record<string, string> = { 'x-request-id': requestId };
    const { route: name, endpoint: route, methods } = routeOf(event);
    const respond = (page: Page | Redirect) => answer(page, headers, isHead(event));
    const retryLater = (page: Page, seconds: number) => {
      headers['retry-after'] = String(seconds);
      return respond(page);
    };
    try {
      const { refusal, rate } = await identifyAnonymous(addressOf(event));
      Object.assign(headers, rateHeaders(rate));
      if (!route && methods.length > 0) {
        headers.allow = methods.join(', ');
        return respond(notAllowed);
      }
      const page = refusal && route?.limited ? tooMany : await shown(route, event);
      // Mailbox providers unsubscribe many people from few addresses: only guessing at links is limited.
      if (refusal && 'status' in page && (page.status === 404 || page === tooMany))
        return retryLater(tooMany, rate.secondsLeft);
      return respond(page);
    } catch (error) {
      logFailure('page failed', error, { request_id: requestId, route: name });
      return retryLater(failed, 60);
    }
  };
  return (event: APIGatewayProxyEventV2, context: Context) =>
    withinRequest(context.getRemainingTimeInMillis(), () => respondTo(event));
}

const tooMany: Page = { status: 429, title: 'Too many requests', main: '<p>Please try again in a minute.</p>' };
const failed: Page = { status: 503, title: 'Something went wrong', main: '<p>Please try again in a minute.</p>' };
const notAllowed: Page = { status: 405, title: 'Not allowed', main: '<p>This page takes no such request.</p>' };
const nowhere: Page = { status: 404, title: 'Nothing here', main: '<p>This link leads nowhere.</p>' };

async function shown(route: PageRoute | undefined, event: APIGatewayProxyEventV2): Promise<Page | Redirect> {
  if (!route) return nowhere;
  const query = new URLSearchParams(event.rawQueryString);
  return route.show({ params: event.pathParameters ?? {}, query, form: formOf(event) });
}
