import type * as z from 'zod';
import type { Operation } from '../domain/operation.ts';
import type { Plan } from '../domain/teams/plans.ts';
import type { Scope } from '../domain/teams/scopes.ts';

/** Who calls: the team and the API key it presented. */
export interface Caller {
  teamId: number;
  teamName: string;
  plan: Plan;
  keyId: number;
  keyName: string;
  /** null for a legacy key, which holds every scope. */
  scopes: readonly Scope[] | null;
}

/** What an endpoint's handler is given, already checked against its schemas. */
export interface RequestContext<Params, Query, Body> {
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  operation: Operation;
  /** The request's own path, below `/v1`. */
  path: string;
  /** The API's address including `/v1`, without a trailing slash. */
  baseUrl: string;
  requestId: string;
}

/** One endpoint: the single source of its route, scope check, validation, response check, OpenAPI entry and generic tests. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/v1`, with `{name}` for a path parameter. */
  path: string;
  /** `any-key`: a valid key and no scope; `public`: no key. */
  scope: Scope | 'any-key' | 'public';
  /** One sentence for the API reference. */
  summary: string;
  /** True for what goes beyond the contract; marked in the OpenAPI document. */
  extension?: boolean;
  params?: Params;
  query?: Query;
  body?: Body;
  response: Response;
  handle(
    exchange: RequestContext<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Response>> | z.input<Response>;
}

/** Any endpoint, for code that walks the catalogue. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of different endpoints have nothing in common
export type AnyEndpoint = Endpoint<any, any, any, any>;

/** A folder's endpoints by their operation ids, which name the methods of generated clients. */
export type Endpoints = Readonly<Record<string, AnyEndpoint>>;

/** Declares an endpoint; a missing scope or a response of the wrong shape does not compile. */
export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  definition: Endpoint<P, Q, B, R>,
): Endpoint<P, Q, B, R> {
  return definition;
}
