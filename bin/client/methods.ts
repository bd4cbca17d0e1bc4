import {
  type Document,
  nameOf,
  type Operation,
  type Parameter,
  resolve,
  type Schema,
} from '../../shared/http/openapi-document.ts';
import { enveloped, recordsOf, schemaOf } from './document.ts';
import { comment, declaration, typeName, typeOf } from './types.ts';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `api-keys` → `ApiKeys`. */
const pascal = (name: string): string => name.split('-').map(capital).join('');

/** The property of the client for a folder: `api-keys` → `apiKeys`. */
export const propertyName = (folder: string): string => pascal(folder).replace(/^./, (first) => first.toLowerCase());

/** The class of a folder: `api-keys` → `ApiKeysApi`. */
export const className = (folder: string): string => `${pascal(folder)}Api`;

/** The method of an operation, without the name of its folder: `bulkUpsertContacts` of `contacts` → `bulkUpsert`. */
export function methodName(folder: string, operationId: string): string {
  const noun = pascal(folder);
  const words = operationId.match(/^[a-z]+|[A-Z][a-z]*/g) ?? [];
  if (words.length > 1 && words[0] === noun.toLowerCase()) return lower(words.slice(1).join(''));
  const [verb = '', ...rest] = words;
  for (const form of [noun, noun.replace(/s$/, '')]) {
    const size = form.match(/[A-Z][a-z]*/g)!.length;
    for (let at = 0; at + size <= rest.length; at++)
      if (rest.slice(at, at + size).join('') === form) return verb + rest.toSpliced(at, size).join('');
  }
  return operationId;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The source of a folder's class, and of the types that only its methods use. */
export function folderClass(document: Document, folder: string): { types: string; source: string } {
  const types: string[] = [];
  const methods = new Map<string, string>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      if (operation.tags[0] !== folder) continue;
      const name = methodName(folder, operation.operationId);
      if (methods.has(name)) throw new Error(`two operations of ${folder} would be called ${name}`);
      methods.set(name, methodOf(document, name, `${method.toUpperCase()} ${path}`, operation, types));
    }
  const source = `export class ${className(folder)} {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

${[...methods.values()].join('\n')}}
`;
  return { types: types.join('\n'), source };
}

/** The source of a method; `types` receives the types that it needs. */
function methodOf(document: Document, name: string, route: string, operation: Operation, types: string[]): string {
  const [method = '', path = ''] = route.split(' ');
  const { operationId, summary, parameters, requestBody, responses, 'x-scope': scope } = operation;
  const own = capital(operationId);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const takes = inPath.map((parameter) => `${parameter.name}: ${pathType(parameter)}`);
  const carries: string[] = [];
  if (requestBody) {
    takes.push(`body${requestBody.required ? '' : '?'}: ${named(`${own}Body`, schemaOf(requestBody), types)}`);
    carries.push('body');
  }
  if (inQuery.length > 0) {
    takes.push(
      `query${inQuery.some(({ required }) => required) ? '' : '?'}: ${queryType(`${own}Query`, inQuery, types)}`,
    );
    carries.push('query');
  }
  takes.push('options?: RequestOptions');
  const where = inPath.length === 0 ? `'${path}'` : `pathTo\`${path.replaceAll('{', '${')}\``;

  const answer = schemaOf(responses[200]!);
  const records = recordsOf(document, answer);
  const head = comment(`${summary}.${scope ? ` Scope: \`${scope}\`.` : ''} ${route}`, '  ');
  if (records) {
    const type = named(`${own}Record`, records, types);
    return `${head}  ${name}(${takes.join(', ')}): Listing<${type}> {
    return this.#transport.listing(${where}, query, options);
  }
`;
  }
  const data = enveloped(resolve(document, answer));
  const type = named(`${own}Result`, answer.$ref === undefined ? (data ?? answer) : answer, types);
  const payload = carries.length > 0 ? `{ ${carries.join(', ')} }` : '{}';
  return `${head}  ${name}(${takes.join(', ')}): Promise<${type}> {
    return this.#transport.${data ? 'record' : 'request'}('${method}', ${where}, ${payload}, options);
  }
`;
}

/** A schema's type; an object without a name gets `name`. */
function named(name: string, schema: Schema, types: string[]): string {
  if (schema.$ref !== undefined) return typeName(nameOf(schema.$ref));
  if (schema.type === 'array' && schema.items) return `${named(name, schema.items, types)}[]`;
  if (schema.type !== 'object' && !schema.oneOf) return typeOf(schema, '');
  types.push(declaration(name, schema));
  return name;
}

const pathType = ({ schema }: Parameter): string => (schema.type === 'integer' ? 'number' : 'string | number');

function queryType(own: string, parameters: readonly Parameter[], types: string[]): string {
  if (parameters.map(({ name }) => name).join() === 'per_page,cursor') return 'PageQuery';
  const properties = Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { ...schema, ...(description && { description }) }]),
  );
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  types.push(declaration(own, { type: 'object', properties, required }));
  return own;
}
