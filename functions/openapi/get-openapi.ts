import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { endpoint } from '../../shared/http/endpoint.ts';

/** Written beside this function's bundle by the build. */
let document: Promise<Record<string, unknown>> | undefined;

export const getOpenapi = endpoint({
  method: 'GET',
  path: '/openapi.json',
  scope: 'public',
  summary: 'The OpenAPI 3.1 document of this API',
  extension: true,
  response: z.record(z.string(), z.unknown()),

  handle({ baseUrl }) {
    document ??= readFile(new URL('./openapi.json', import.meta.url), 'utf8').then(JSON.parse);
    return document.then((found) => ({ ...found, servers: [{ url: baseUrl }] }));
  },
});
