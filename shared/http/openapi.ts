import * as z from 'zod';
import { scopeDescriptions } from '../domain/scopes.ts';
import type { AnyEndpoint } from './endpoint.ts';

type Json = Record<string, unknown>;

const errorSchema = {
  type: 'object',
  required: ['message', 'code', 'request_id'],
  properties: {
    message: { type: 'string' },
    code: { type: 'string' },
    errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    blockers: { type: 'array', items: { type: 'string' } },
    request_id: { type: 'string' },
  },
};

const errorAnswer = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

/** The OpenAPI 3.1 document of the endpoints, from the declarations that serve them. */
export function openapi(catalogue: Record<string, readonly AnyEndpoint[]>, serverUrl = '/v1'): Json {
  const schemas: Json = { Error: errorSchema };
  const paths: Record<string, Json> = {};
  for (const [folder, endpoints] of Object.entries(catalogue)) {
    for (const endpoint of endpoints) {
      paths[endpoint.path] ??= {};
      paths[endpoint.path]![endpoint.method.toLowerCase()] = operation(folder, endpoint, schemas);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mailwright',
      version: '1.0.0',
      description: 'Email marketing as a REST API. Rates are percentages; machine opens are kept apart.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: Object.keys(catalogue).map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      },
    },
  };
}

function operation(folder: string, endpoint: AnyEndpoint, schemas: Json): Json {
  const { method, path, scope, summary, extension, params, query, body, response } = endpoint;
  const open = scope === 'public';
  const scoped = scope !== 'public' && scope !== 'any-key';
  const idempotencyKey = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } };
  return {
    operationId: operationId(method, path),
    tags: [folder],
    summary,
    ...(scoped && { description: `Needs the scope \`${scope}\`: ${scopeDescriptions[scope]}.`, 'x-scope': scope }),
    ...(extension && { 'x-extension': true }),
    ...(open && { security: [] }),
    parameters: [
      ...parameters(params, 'path', schemas),
      ...parameters(query, 'query', schemas),
      ...(method === 'GET' ? [] : [idempotencyKey]),
    ],
    ...(body && { requestBody: { content: { 'application/json': { schema: schemaOf(body, 'input', schemas) } } } }),
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: schemaOf(response, 'output', schemas) } } },
      ...(!open && { 401: errorAnswer('Missing, invalid, revoked or expired key') }),
      ...(scoped && { 403: errorAnswer('The key lacks the scope, or the plan has no API access') }),
      ...(params && { 404: errorAnswer('No such record for this team') }),
      ...(method !== 'GET' && { 409: errorAnswer('The same Idempotency-Key is still executing') }),
      ...(body && { 413: errorAnswer('The body is over 5 MiB') }),
      ...((body || query || params) && { 422: errorAnswer('Refused: validation, or the state of the record') }),
      429: errorAnswer('Too many requests in this minute'),
    },
  };
}

function operationId(method: string, path: string): string {
  const words = path
    .replace(/[{}]/g, '')
    .split(/[/._-]/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query', schemas: Json): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema: _dialect, $defs, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  const text = (value: unknown) => JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/');
  for (const [name, definition] of Object.entries(($defs as Json) ?? {})) schemas[name] = JSON.parse(text(definition));
  return JSON.parse(text(converted)) as Json;
}
