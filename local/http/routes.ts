import type { LambdaFunction } from '../lambda/runtime.ts';

/** The route of a request. */
export interface RouteMatch {
  routeKey: string;
  /** Path parameters, percent-decoded. */
  parameters: Record<string, string>;
  target: LambdaFunction;
}

type Route = Omit<RouteMatch, 'parameters'>;
interface Node {
  literals: Map<string, Node>;
  parameter?: { name: string; node: Node };
  routes: Map<string, Route>;
}

/** The routes of an HTTP API. As in API Gateway, the most specific route wins, and `$default` takes the rest. */
export class Routes {
  readonly #root: Node = node();
  #default: Route | undefined;

  add(route: Route): void {
    if (route.routeKey === '$default') {
      this.#default = route;
      return;
    }
    const [method = '', path = ''] = route.routeKey.split(' ');
    path.split('/').slice(1).reduce(child, this.#root).routes.set(method, route);
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
  if (!at.parameter || segment === '') return undefined;
  const deeper = find(at.parameter.node, rest, method, parameters);
  if (deeper) parameters[at.parameter.name] = decode(segment);
  return deeper;
}

/** Percent-decodes a path or a segment; returns malformed text unchanged. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
