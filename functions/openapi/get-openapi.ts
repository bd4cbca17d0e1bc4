import * as z from 'zod';
import { endpoint } from '../../shared/http/endpoint.ts';
import { readDocument } from '../../shared/http/openapi-document.ts';

export const getOpenapi = endpoint({
  method: 'GET',
  path: '/openapi.json',
  scope: 'public',
  summary: 'The OpenAPI 3.1 document of this API',
  extension: true,
  keptSeconds: 300,
  response: z.record(z.string(), z.unknown()),
  handle: async ({ baseUrl }) => ({ ...(await readDocument()), servers: [{ url: baseUrl }] }),
});
