import type { LambdaFunction } from '../lambda/runtime.ts';

/** The route that a request takes. */
export interface RouteMatch {
  routeKey: string;
  /** Path parameters, percent-decoded. */
  parameters: Record<string, string>;
  target: LambdaFunction;
  timeoutMilliseconds: number;
}

type Route = Omit<RouteMatch, 'parameters'>;
interface Node {
  literals: Map<string, Node>;
  parameter?: { name: string; node: Node };
  greedy?: { name: string; routes: Map<string, Route> };
  routes: Map<string, Route>;
}

/** The routes of an HTTP API, matched as API Gateway does: the most specific one wins, `$default` takes the rest. */
export class Routes {
  readonly #root: Node = node();
  #default: Route | undefined;

  add(route: Route): void {
    if (route.routeKey === '$default') {
      this.#default = route;
      return;
    }
    const [method = '', path = ''] = route.routeKey.split(' ');
    let at = this.#root;
    for (const segment of path.split('/').slice(1)) {
      const greedy = /^\{(\w+)\+\}$/.exec(segment)?.[1];
      if (greedy) {
        at.greedy ??= { name: greedy, routes: new Map() };
        at.greedy.routes.set(method, route);
        return;
      }
      at = child(at, segment);
    }
    at.routes.set(method, route);
  }

  /** Finds the route of a request; undefined when there is none. */
  match(method: string, pathname: string): RouteMatch | undefined {
    const parameters: Record<string, string> = {};
    const route = find(this.#root, pathname.split('/').slice(1), method, parameters);
    if (route) return { ...route, parameters };
    return this.#default && { ...this.#default, parameters: {} };
  }
}

function node(): Node {
  return { literals: new Map(), routes: new Map() };
}

function child(parent: Node, segment: string): Node {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1];
  if (name) {
    parent.parameter ??= { name, node: node() };
    return parent.parameter.node;
  }
  const known = parent.literals.get(segment) ?? node();
  parent.literals.set(segment, known);
  return known;
}

function find(at: Node, segments: string[], method: string, parameters: Record<string, string>): Route | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return at.routes.get(method) ?? at.routes.get('ANY');
  const literal = at.literals.get(decode(segment));
  const found = literal && find(literal, rest, method, parameters);
  if (found) return found;
  if (at.parameter && segment !== '') {
    const deeper = find(at.parameter.node, rest, method, parameters);
    if (deeper) {
      parameters[at.parameter.name] = decode(segment);
      return deeper;
    }
  }
  const greedy = at.greedy?.routes.get(method) ?? at.greedy?.routes.get('ANY');
  if (greedy && at.greedy) parameters[at.greedy.name] = segments.map(decode).join('/');
  return greedy;
}

/** Percent-decodes a path or one of its segments; a malformed one stays as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
