/** A JSON schema, as far as the OpenAPI document uses it. */
export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
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

interface Body {
  required?: boolean;
  content: { 'application/json': { schema: Schema } };
}

/** One operation of the document. */
export interface Operation {
  operationId: string;
  tags: readonly [string];
  summary: string;
  parameters: readonly Parameter[];
  requestBody?: Body;
  responses: { 200: Body };
  'x-scope'?: string;
}

/** The part of the OpenAPI document that a client is made of. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: Body } }>;
  components: { schemas: Record<string, Schema> };
}

export const schemaOf = (body: Body): Schema => body.content['application/json'].schema;

/** The name at the end of a reference. */
export const refName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** What a schema's reference leads to, or itself. */
export function resolve(document: Document, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : document.components.schemas[refName(schema.$ref)]!;
}

/** The schema of a page's records; undefined where the schema is no page of a listing. */
export function recordsOf(document: Document, schema: Schema): Schema | undefined {
  const { properties = {} } = resolve(document, schema);
  return 'next_cursor' in properties && 'has_more' in properties ? properties.data?.items : undefined;
}

/** What a schema has under `data`, where it has nothing else. */
export function enveloped({ properties = {} }: Schema): Schema | undefined {
  return Object.keys(properties).join() === 'data' ? properties.data : undefined;
}
