import type { Document } from '../../shared/http/openapi-document.ts';
import { className, folderClass, propertyName } from './methods.ts';
import { typesOf } from './types.ts';

const head = '// Written by `npm run client` from the OpenAPI document: change an endpoint, not this file.\n';

/** The generated sources of the client: `types.ts` has the types of requests and responses, `api.ts` the methods. */
export function generateClient(openapi: object): Record<'types.ts' | 'api.ts', string> {
  const document = openapi as Document;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const folders = [...new Set(operations.map(({ tags }) => tags[0]))];
  const classes = folders.map((folder) => ({ folder, ...folderClass(document, folder) }));
  const types = [typesOf(document), ...classes.map(({ types }) => types)].filter(Boolean).join('\n');
  const api = `${classes.map(({ source }) => source).join('\n')}
/** A client of the API with one key. */
export class Mailwright {
${folders.map((folder) => `  readonly ${propertyName(folder)}: ${className(folder)};\n`).join('')}
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
${folders.map((folder) => `    this.${propertyName(folder)} = new ${className(folder)}(transport);\n`).join('')}  }
}
`;
  const code = api.replace(/\/\*\*.*?\*\//gs, '');
  const used = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(code))
    .sort();
  const imports = `import type { Listing, PageQuery } from '../listing.ts';
import { type ClientOptions, pathTo, type RequestOptions, Transport } from '../transport.ts';
import type {
${used.map((name) => `  ${name},\n`).join('')}} from './types.ts';
`;
  return { 'types.ts': `${head}\n${types}`, 'api.ts': `${head}${imports}\n${api}` };
}
