import type { AnyEndpoint } from '../../shared/http/endpoint.ts';
import { fill, routeOf } from '../support/samples.ts';

/** The names of an endpoint's path parameters. */
const parameterNames = ({ path }: AnyEndpoint): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** An endpoint's path with well-formed parameters: `id`, or a domain where the schema takes no id. */
export function anyPath(endpoint: AnyEndpoint, id = 1): string {
  const values = parameterNames(endpoint).map((name) => {
    const wellFormed = [String(id), 'any.example'].find((text) => endpoint.params.shape[name].safeParse(text).success);
    if (wellFormed === undefined) throw new Error(`any-path.ts has no value for {${name}} of ${routeOf(endpoint)}`);
    return [name, wellFormed];
  });
  return fill(endpoint, Object.fromEntries(values));
}

/** An endpoint's path with malformed parameters. */
export const malformedPath = (endpoint: AnyEndpoint): string =>
  fill(endpoint, Object.fromEntries(parameterNames(endpoint).map((name) => [name, 'abc%20def'])));
