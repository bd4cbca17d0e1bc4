import * as z from 'zod';
import { catalogue, webhookPayloads } from '../../functions/catalogue.ts';
import { openapi } from '../../shared/http/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
export type Json = any;

/** The OpenAPI document. */
export const document: Json = JSON.parse(JSON.stringify(openapi(catalogue, webhookPayloads)));

/** What a reference of the document leads to; anything else as it is. */
export function resolved(node: Json): Json {
  if (node.$ref === undefined) return node;
  let at = document;
  for (const key of node.$ref.slice(2).split('/')) at = at?.[key];
  return at;
}

/** What a schema of the document finds wrong with a value; empty when it is valid. */
export function faults(schema: object, value: unknown): string[] {
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  const check = z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')));
  return check.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}
