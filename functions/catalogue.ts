import type { AnyEndpoint } from '../shared/http/endpoint.ts';
import { endpoints as me } from './me/index.ts';
import { endpoints as openapi } from './openapi/index.ts';

/** Every endpoint of the API, by the folder (and Lambda function) that serves it. */
export const catalogue: Record<string, readonly AnyEndpoint[]> = {
  me,
  openapi,
};

/** The public pages at the root of the site, served by the folder `pages`. */
export const pages = [
  { method: 'GET', path: '/unsubscribe/{token}' },
  { method: 'POST', path: '/unsubscribe/{token}' },
] as const;
