import { type Document, nameOf, type Schema } from '../../shared/http/openapi-document.ts';
import { enveloped, recordsOf, schemaOf } from './document.ts';

const lineWidth = 120;

/** Global names of JavaScript. */
const reserved = new Set(['Error', 'Event', 'Request', 'Response']);

/** The TypeScript name of a named schema. */
export const typeName = (name: string): string => (reserved.has(name) ? `${name}Body` : name);

/** A comment before a declaration; empty without a text. */
export function comment(text: string | undefined, indent = ''): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
}

/** The source of the types of every named schema, and of webhook events. */
export function typesOf(document: Document): string {
  const named = Object.entries(document.components.schemas)
    .filter(([, schema]) => !recordsOf(document, schema))
    .map(([name, schema]) => declaration(typeName(name), enveloped(schema) ?? schema));
  return [...named, webhookEvent(document)].join('\n');
}

/** A named type: an interface for an object with fields, else an alias. */
export function declaration(name: string, schema: Schema): string {
  const head = comment(schema.description);
  const fields = schema.properties && Object.keys(schema.properties).length > 0 && !schema.allOf;
  if (fields) return `${head}export interface ${name} ${fieldsOf(schema, '')}\n`;
  const alias = `export type ${name} = ${typeOf(schema, '')};`;
  const broken = alias.length > lineWidth && !alias.includes('{');
  return `${head}${broken ? alias.replace(' =', ' = |').replaceAll(' | ', '\n  | ') : alias}\n`;
}

/** A schema as a TypeScript type; `indent` is the indentation of the line it begins on. */
export function typeOf(schema: Schema, indent: string): string {
  const { $ref, enum: values, oneOf, anyOf, allOf, type, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return typeName(nameOf($ref));
  if ('const' in schema) return literal(schema.const);
  if (values) return values.map(literal).join(' | ');
  const choice = oneOf ?? anyOf;
  if (choice) return union(choice.map((one) => typeOf(one, indent)));
  if (allOf) return allOf.map((one) => typeOf(one, indent)).join(' & ');
  if (Array.isArray(type)) return union(type.map((one: string) => typeOf({ ...schema, type: one }, indent)));
  if (type === 'array') return items ? arrayOf(typeOf(items, indent)) : 'unknown[]';
  if (type === 'object') {
    if (properties && Object.keys(properties).length > 0) return fieldsOf(schema, indent);
    return typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
      ? `Record<string, ${typeOf(additionalProperties, indent)}>`
      : 'Record<string, unknown>';
  }
  return type === 'integer' ? 'number' : ((type as string | undefined) ?? 'unknown');
}

function fieldsOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, field]) => {
    const key = /^[a-z_$][\w$]*$/i.test(name) ? name : literal(name);
    const optional = required.includes(name) ? '' : '?';
    return `${comment(field.description, inner)}${inner}${key}${optional}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function webhookEvent({ webhooks }: Document): string {
  const events = Object.values(webhooks).map(({ post }) => typeOf(schemaOf(post.requestBody!), ''));
  const head = comment('The event of a webhook request; `id` is the same in every delivery of the event.');
  return `${head}export type WebhookEvent =\n${events.map((event) => `  | ${event}`).join('\n')};\n`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const arrayOf = (type: string): string => (/[|&]/.test(type.replace(/{.*}/s, '')) ? `(${type})[]` : `${type}[]`);
