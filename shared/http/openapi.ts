import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { errorCodes } from '../domain/errors.ts';
import { type Scope, scopeDescriptions } from '../domain/teams/scopes.ts';
import type { AnyEndpoint, Endpoints } from './endpoint.ts';
import { exampleMaker } from './examples.ts';
import { blocker } from './schemas.ts';

type Json = Record<string, unknown>;

const errorBody = z
  .object({
    message: z.string(),
    code: z.enum(errorCodes).meta({ id: 'ErrorCode' }),
    errors: z.record(z.string(), z.array(z.string())).optional(),
    blockers: z.array(blocker).optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

const header = (type: string, description: string) => ({ description, schema: { type } });

const headers = {
  'X-Request-Id': header('string', 'Names this request in our logs'),
  'X-RateLimit-Limit': header('integer', 'Requests a minute'),
  'X-RateLimit-Remaining': header('integer', 'Requests left in this minute'),
  'Retry-After': header('integer', 'Seconds to wait before the next attempt'),
  'Idempotent-Replayed': header('string', '`true` when this is the stored answer of an earlier request'),
};

const always = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const;

/** Error responses by status: name, description, and the headers that they add to those of every response. */
const refusals = {
  401: ['Unauthenticated', 'The key is missing, invalid, revoked or expired'],
  403: ['Forbidden', 'The key lacks the scope, or the plan has no API access'],
  404: ['NotFound', 'No such record for this team'],
  409: ['Conflict', 'The request with this Idempotency-Key is still executing', 'Retry-After'],
  413: ['PayloadTooLarge', 'The body is over 5 MiB'],
  422: ['Unprocessable', 'Validation, or the state of the record, refuses the request'],
  429: ['TooManyRequests', 'Too many requests in this minute', 'Retry-After'],
  500: ['InternalError', 'Something went wrong on our side'],
  503: ['Unavailable', 'A dependency is busy', 'Retry-After'],
} as const satisfies Record<number, [name: string, description: string, ...headers: (keyof typeof headers)[]]>;

/** The body of one type of webhook event. */
export interface WebhookPayload {
  type: string;
  description: string;
  body: z.ZodType;
}

/** The OpenAPI 3.1 document of all endpoints and webhooks; throws when two different schemas have the same name. */
export function openapi(
  catalogue: Readonly<Record<string, Endpoints>>,
  payloads: readonly WebhookPayload[] = [],
  serverUrl = '/v1',
): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const [folder, endpoints] of Object.entries(catalogue)) {
    for (const [operationId, endpoint] of Object.entries(endpoints)) {
      paths[endpoint.path] ??= {};
      paths[endpoint.path]![endpoint.method.toLowerCase()] = {
        operationId,
        tags: [folder],
        ...operation(endpoint, schemas),
      };
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
    webhooks: Object.fromEntries(payloads.map((payload) => [payload.type, { post: delivery(payload, schemas) }])),
    components: {
      schemas,
      responses: errorResponses(schemas),
      headers,
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description: 'Makes a retry safe: the same key and request are executed once and answered alike',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
        ...(payloads.length > 0 && deliveryHeaders),
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      },
    },
  };
}

const deliveryHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** Headers of every webhook request. */
const deliveryHeaders = {
  ServiceSignature: deliveryHeader(
    'Service-Signature',
    'The moment in seconds, and the hex HMAC-SHA256 of `{t}.{raw body}` keyed with the whole secret of the endpoint; ' +
      'for 24 hours after a rotation one for each of the two secrets, new first. Compare with the raw body, and ' +
      'refuse a moment that is more than a few minutes away',
    't=1795168800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ),
  ServiceEventId: deliveryHeader('Service-Event-Id', '`id` of the body', 'evt_0f8b7c1d2e3f4a5b6c7d8e9f0a1b2c3d'),
  ServiceEventType: deliveryHeader('Service-Event-Type', '`type` of the body', 'contact.created'),
};

/** The request that a receiver gets, and the responses it may give. */
function delivery({ type, description, body }: WebhookPayload, schemas: Json): Json {
  const content = json(body, 'output', schemas);
  const { data } = content['application/json'].example as { data: Json };
  if ('event' in data) data.event = type.split('.').at(-1);
  return {
    operationId: `on${type.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`,
    summary: description,
    tags: ['webhooks'],
    security: [],
    parameters: Object.keys(deliveryHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content },
    responses: {
      '2XX': { description: 'Received' },
      410: { description: 'Nothing more is wanted: the endpoint is switched off' },
      default: { description: 'Tried again later, eight times in all' },
    },
  };
}

function operation(endpoint: AnyEndpoint, schemas: Json): Json {
  const { method, scope, sendsWhen, summary, extension, params, query, body, response } = endpoint;
  const scoped = scope !== 'public' && scope !== 'any-key' && scope !== 'every-scope';
  const writes = method !== 'GET';
  return {
    summary,
    ...(scope === 'every-scope' && { description: 'Needs an API key with every scope.' }),
    ...(scoped && { description: scopesOf(scope, sendsWhen), 'x-scope': scope }),
    ...(extension && { 'x-extension': true }),
    ...(scope === 'public' && { security: [] }),
    parameters: [
      ...parameters(params, 'path', schemas),
      ...parameters(query, 'query', schemas),
      ...(writes ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body && {
      requestBody: { required: !body.safeParse({}).success, content: json(body, 'input', schemas) },
    }),
    responses: {
      200: {
        description: 'OK',
        headers: headerRefs(writes ? ['Idempotent-Replayed'] : []),
        content: json(response, 'output', schemas),
      },
      ...Object.fromEntries(
        refusalsOf(endpoint).map((status) => [status, { $ref: `#/components/responses/${refusals[status][0]}` }]),
      ),
    },
  };
}

const scopesOf = (scope: Scope, sendsWhen: string | undefined): string =>
  `Needs the scope \`${scope}\`: ${scopeDescriptions[scope]}.` +
  (sendsWhen === undefined ? '' : ` Needs \`campaigns:send\` as well ${sendsWhen}.`);

/** The error statuses of an endpoint. */
function refusalsOf({ method, scope, params, query, body }: AnyEndpoint): (keyof typeof refusals)[] {
  const writes = method !== 'GET';
  return [
    ...(scope === 'public' ? [] : ([401, 403] as const)),
    ...(params || method === 'DELETE' ? ([404] as const) : []),
    ...(writes ? ([409] as const) : []),
    ...(body ? ([413] as const) : []),
    ...(writes || query ? ([422] as const) : []),
    429,
    500,
    503,
  ];
}

function errorResponses(schemas: Json): Json {
  const { schema } = json(errorBody, 'output', schemas)['application/json'];
  return Object.fromEntries(
    Object.values(refusals).map(([name, description, ...more]) => [
      name,
      { description, headers: headerRefs(more), content: { 'application/json': { schema } } },
    ]),
  );
}

function json(schema: z.ZodType, io: 'input' | 'output', schemas: Json) {
  const converted = schemaOf(schema, io, schemas);
  return { 'application/json': { schema: converted, example: exampleMaker(schemas, io)(converted) } };
}

const headerRefs = (more: readonly (keyof typeof headers)[]) =>
  Object.fromEntries([...always, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query', schemas: Json): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    // A list in a query is one comma-separated value.
    ...(property.type === 'array' && { style: 'form', explode: false }),
    schema: property,
  }));
}

/** A schema in the form of the document; a schema with an `id` becomes a component. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: forClients });
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _dialect, $defs = {}, ...inline } = JSON.parse(text) as Json & { $defs?: Record<string, Json> };
  for (const [name, { id: _id, ...definition }] of Object.entries($defs)) {
    if (name in schemas && !isDeepStrictEqual(schemas[name], definition))
      throw new Error(`two different schemas are named ${name}: give one another id`);
    schemas[name] = definition;
  }
  return inline;
}

/**
 * Adapts zod's schema for clients: a `meta` with a type replaces a schema that converts from text, the bounds of
 * JavaScript's integers go, and objects stay open to new fields.
 */
function forClients({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const meta = z.globalRegistry.get(zodSchema);
  if (meta?.type || meta?.oneOf) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, meta);
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  delete jsonSchema.propertyNames;
}
