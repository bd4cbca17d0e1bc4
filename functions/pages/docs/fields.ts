import { escapeHtml } from '../../../shared/domain/messages/merge-tags.ts';
import { html } from '../../../shared/http/html.ts';
import { type Document, nameOf, type Parameter, resolve, type Schema } from '../../../shared/http/openapi-document.ts';

/** Text of the document as HTML; text between backticks becomes code. */
export const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Parameters as a list. */
export const parameterList = (document: Document, parameters: readonly Parameter[]): string =>
  list(
    parameters.map(({ name, required = false, description, schema }) =>
      field(document, name, { ...schema, description: description ?? schema.description }, required, []),
    ),
  );

/** The fields of a schema as a list, with their own fields. */
export function fieldList(document: Document, schema: Schema, above: readonly string[] = []): string {
  const found = resolve(document, schema);
  const inside = schema.$ref ? [...above, nameOf(schema.$ref)] : above;
  const alternatives = (found.oneOf ?? found.anyOf)?.filter(({ type }) => type !== 'null');
  if (alternatives?.length === 1) return fieldList(document, alternatives[0]!, inside);
  if (alternatives) return alternatives.map((one) => alternative(document, one, inside)).join('');
  if (found.type === 'array' && found.items) return fieldList(document, found.items, inside);
  const { properties = {}, required = [] } = found;
  return list(
    Object.entries(properties).map(([name, one]) => field(document, name, one, required.includes(name), inside)),
  );
}

const list = (items: readonly string[]): string =>
  items.length > 0 ? `<dl class="fields">${items.join('')}</dl>` : '';

function alternative(document: Document, schema: Schema, above: readonly string[]): string {
  const fields = nested(document, schema, above);
  const name = schema.$ref ? nameOf(schema.$ref) : typeText(document, schema);
  return fields && `<details><summary>${escapeHtml(name)}</summary>${fields}</details>`;
}

function field(document: Document, name: string, schema: Schema, required: boolean, above: readonly string[]): string {
  const fields = nested(document, schema, above);
  const description = schema.description ?? resolve(document, core(schema)).description;
  const text = [description, limits(document, schema)].flatMap((sentence) => (sentence ? prose(sentence) : []));
  const code = `<code>${escapeHtml(name)}</code>`;
  return html`
    <div>
      <dt>${code} <span class="type">${escapeHtml(typeText(document, schema))}</span>
      ${required ? ' <span class="required">required</span>' : ''}</dt>
      <dd>${text.join('. ')}${fields && `<details><summary>Fields of ${code}</summary>${fields}</details>`}</dd>
    </div>`;
}

/** The fields of a field; empty when it has none, or when its schema contains itself. */
function nested(document: Document, schema: Schema, above: readonly string[]): string {
  const one = core(schema);
  return one.$ref && above.includes(nameOf(one.$ref)) ? '' : fieldList(document, one, above);
}

/** A schema without its `null` and without the array around it. */
function core(schema: Schema): Schema {
  const alternatives = (schema.oneOf ?? schema.anyOf)?.filter(({ type }) => type !== 'null');
  if (alternatives?.length === 1) return core(alternatives[0]!);
  return schema.type === 'array' && schema.items ? core(schema.items) : schema;
}

/** A schema's type in words: `array of integer`, `string (email) or null`. */
function typeText(document: Document, schema: Schema): string {
  if (schema.$ref) {
    const found = resolve(document, schema);
    return found.enum
      ? 'string'
      : found.type === 'object' || !found.type
        ? nameOf(schema.$ref)
        : typeText(document, found);
  }
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return [...new Set(alternatives.map((one) => typeText(document, one)))].join(' or ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return schema.items ? `array of ${typeText(document, schema.items)}` : 'array';
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format && schema.format !== 'int64' ? `${types} (${schema.format})` : types;
}

/** The limits of a value beyond its type, as one sentence. */
function limits(document: Document, schema: Schema): string {
  const { minItems, maxItems } = schema;
  const found = resolve(document, core(schema));
  const { minimum, maximum, maxLength } = found;
  const fallback = schema.default ?? found.default;
  const parts = [
    found.enum && `one of ${found.enum.map((one) => `\`${one}\``).join(', ')}`,
    maxItems !== undefined && `${minItems ? `${minItems} to ` : 'at most '}${number(maxItems)} of them`,
    maxLength !== undefined && `at most ${number(maxLength)} characters`,
    maximum !== undefined && maximum < 1e9 && `${minimum ?? 0} to ${number(maximum)}`,
    typeof fallback !== 'object' && fallback !== undefined && `\`${fallback}\` unless given`,
  ];
  const text = parts.filter(Boolean).join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const number = (value: number): string => value.toLocaleString('en-US');
