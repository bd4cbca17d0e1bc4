import { readFile } from 'node:fs/promises';

/** A JSON schema, as far as our OpenAPI document uses it. */
export interface Schema {
  $ref?: string;
  description?: string;
  example?: unknown;
  type?: string | readonly string[];
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  /** Beyond the contract: beside `data` it does not change what a method of the client returns. */
  'x-extension'?: boolean;
}

/** A parameter of an operation, or a reference to one. */
export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

/** A JSON body. */
export interface Content {
  required?: boolean;
  content: { 'application/json': { schema: Schema; example?: unknown } };
}

/** One operation of the document. */
export interface Operation {
  operationId: string;
  tags: readonly [string];
  summary: string;
  parameters: readonly Parameter[];
  requestBody?: Content;
  responses: { 200?: Content; [status: string]: Content | { $ref: string } | undefined };
  'x-scope'?: string;
  'x-extension'?: boolean;
}

/** Our OpenAPI document, as far as its readers use it. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, { description: string }>;
  };
}

let document: Promise<Document> | undefined;

/** Reads the document that the build writes beside a function's bundle. */
export function readDocument(): Promise<Document> {
  document ??= readFile(new URL('./openapi.json', import.meta.url), 'utf8').then(JSON.parse);
  return document;
}

/** The name at the end of a reference. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** The schema that a reference names; another schema is returned as it is. */
export const resolve = ({ components }: Document, schema: Schema): Schema =>
  schema.$ref ? components.schemas[nameOf(schema.$ref)]! : schema;
