import { readFile } from 'node:fs/promises';

/** A JSON schema, as the OpenAPI document uses it. */
export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** A parameter of an operation. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  content: { 'application/json': { schema: Schema; example?: unknown } };
}

interface Operation {
  operationId: string;
  tags: [string];
  summary: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content | { $ref: string }>;
  'x-scope'?: string;
  'x-extension'?: boolean;
}

/** The part of the OpenAPI document that the reference shows. */
export interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, { description: string }>;
  };
}

/** One entry of the reference: an endpoint, or what a webhook tells. */
export interface Entry {
  /** Names it in links. */
  id: string;
  section: string;
  /** `WEBHOOK` for what we send. */
  method: string;
  path: string;
  summary: string;
  scope?: string;
  extension: boolean;
  parameters: Parameter[];
  body?: { schema: Schema; example: unknown };
  answer?: { schema: Schema; example: unknown };
  /** Statuses of refusals, with what they mean. */
  refusals: [status: string, description: string][];
}

/** Written beside this function's bundle by the build. */
let document: Promise<Document> | undefined;

/** The document that the build has written. */
export function readDocument(): Promise<Document> {
  document ??= readFile(new URL('./openapi.json', import.meta.url), 'utf8').then(JSON.parse);
  return document;
}

/** What a schema's reference leads to, or itself. */
export function resolve({ components }: Document, schema: Schema): Schema {
  return schema.$ref ? components.schemas[nameOf(schema.$ref)]! : schema;
}

/** The name at the end of a reference. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** Every entry, in the order of the document: endpoints, then webhooks. */
export function entriesOf(document: Document): Entry[] {
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => entry(document, method.toUpperCase(), path, operation)),
  );
  const webhooks = Object.entries(document.webhooks).map(([type, { post }]) => entry(document, 'WEBHOOK', type, post));
  return [...endpoints, ...webhooks];
}

function entry(document: Document, method: string, path: string, operation: Operation): Entry {
  const { parameters, responses } = document.components;
  const media = (content: Content | undefined) => content?.content['application/json'];
  const own = Object.entries(operation.responses);
  const ok = operation.responses[200];
  const answer = ok && 'content' in ok ? media(ok) : undefined;
  const body = media(operation.requestBody);
  return {
    id: operation.operationId,
    section: method === 'WEBHOOK' ? 'webhook-events' : operation.tags[0],
    method,
    path,
    summary: operation.summary,
    scope: operation['x-scope'],
    extension: operation['x-extension'] === true,
    parameters: operation.parameters.map((one) => ('$ref' in one ? parameters[nameOf(one.$ref)]! : one)),
    body: body && { schema: body.schema, example: body.example },
    answer: answer && { schema: answer.schema, example: answer.example },
    refusals: own.flatMap(([status, one]): [string, string][] =>
      '$ref' in one ? [[status, responses[nameOf(one.$ref)]!.description]] : [],
    ),
  };
}

/** The name of the record that an answer is about: of `{ data: … }`, of a page of them, of what receivers are sent. */
export function recordOf(document: Document, schema: Schema): string | undefined {
  const { data } = resolve(document, schema).properties ?? {};
  const $ref = data?.$ref ?? data?.items?.$ref;
  return $ref && nameOf($ref);
}
