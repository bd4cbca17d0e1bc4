import {
  type Content,
  type Document,
  nameOf,
  type Operation,
  type Parameter,
  resolve,
  type Schema,
} from '../../../shared/http/openapi-document.ts';

/** One entry of the reference: an endpoint, or a type of webhook event. */
export interface Entry {
  /** The anchor in links. */
  id: string;
  section: string;
  /** `WEBHOOK` for an event that we send. */
  method: string;
  path: string;
  summary: string;
  scope?: string;
  extension: boolean;
  parameters: Parameter[];
  body?: { schema: Schema; example: unknown };
  answer?: { schema: Schema; example: unknown };
  /** Error statuses with their descriptions. */
  refusals: [status: string, description: string][];
}

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
  const answer = media(operation.responses[200]);
  const body = media(operation.requestBody);
  return {
    id: operation.operationId,
    section: method === 'WEBHOOK' ? 'webhook-events' : operation.tags[0],
    method,
    path,
    summary: operation.summary,
    scope: operation['x-scope'],
    extension: operation['x-extension'] === true,
    parameters: operation.parameters.map((one) => (one.$ref ? parameters[nameOf(one.$ref)]! : one)),
    body: body && { schema: body.schema, example: body.example },
    answer: answer && { schema: answer.schema, example: answer.example },
    refusals: Object.entries(operation.responses).flatMap(([status, one]): [string, string][] =>
      one && '$ref' in one ? [[status, responses[nameOf(one.$ref)]!.description]] : [],
    ),
  };
}

/** The name of the record in a response or a webhook event: of `{ data: … }`, or of a page's records. */
export function recordOf(document: Document, schema: Schema): string | undefined {
  const { data } = resolve(document, schema).properties ?? {};
  const $ref = data?.$ref ?? data?.items?.$ref;
  return $ref && nameOf($ref);
}
