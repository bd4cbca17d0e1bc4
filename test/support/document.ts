import * as z from 'zod';
import { catalogue, webhookPayloads } from '../../functions/catalogue.ts';
import { openapi } from '../../shared/http/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
export type Json = any;

/** The OpenAPI document. */
export const document: Json = JSON.parse(JSON.stringify(openapi(catalogue, webhookPayloads)));

/** The target of a reference in the document; any other node unchanged. */
export function resolved(node: Json): Json {
  if (node.$ref === undefined) return node;
  let at = document;
  for (const key of node.$ref.slice(2).split('/')) at = at?.[key];
  return at;
}

/** The errors of a value by a schema of the document; empty when it is valid. */
export function faults(schema: object, value: unknown): string[] {
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  const check = z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')));
  return check.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}
