import { type Content, type Document, resolve, type Schema } from '../../shared/http/openapi-document.ts';

/** The schema of a JSON body. */
export const schemaOf = (body: Content): Schema => body.content['application/json'].schema;

/** The schema of a page's records; undefined when the schema is not a page of a listing. */
export function recordsOf(document: Document, schema: Schema): Schema | undefined {
  const { properties = {} } = resolve(document, schema);
  return 'next_cursor' in properties && 'has_more' in properties ? properties.data?.items : undefined;
}

/** The schema under `data`; undefined when the object has other properties of the contract too. */
export function enveloped({ properties = {} }: Schema): Schema | undefined {
  const contract = Object.keys(properties).filter((name) => !properties[name]!['x-extension']);
  return contract.join() === 'data' ? properties.data : undefined;
}
