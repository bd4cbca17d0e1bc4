import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** Where a request leads: to an endpoint, or to a path that has other methods, or nowhere. */
export type Routes<Endpoint> = (event: APIGatewayProxyEventV2) => {
  /** The method, and the path with its parameters' names: what logs may show. */
  route: string;
  endpoint: Endpoint | undefined;
  /** The methods of the path; none when there is no such path. */
  methods: readonly string[];
};

/** Whether a request asks for the headers alone (RFC 9110, section 9.3.2). */
export const isHead = ({ requestContext }: APIGatewayProxyEventV2): boolean => requestContext.http.method === 'HEAD';

/** Finds the endpoints of paths by method; GET answers HEAD, too. */
export function routesOf<Endpoint extends { method: string }>(
  endpoints: readonly Endpoint[],
  pathOf: (endpoint: Endpoint) => string,
): Routes<Endpoint> {
  const paths = Map.groupBy(endpoints, pathOf);
  return (event) => {
    // API Gateway's routes are paths with any method; those of the version before named one.
    const path = event.routeKey.slice(event.routeKey.indexOf(' ') + 1);
    const { method } = event.requestContext.http;
    const found = paths.get(path) ?? [];
    const wanted = method === 'HEAD' ? 'GET' : method;
    return {
      route: `${method} ${path}`,
      endpoint: found.find((endpoint) => endpoint.method === wanted),
      methods: found.flatMap((endpoint) => (endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method])),
    };
  };
}
