import * as z from 'zod';
import type { Sealing } from '../data/sealing.ts';
import type { ApiKeyItem } from '../data/teams/api-keys.ts';
import type { Actor } from '../domain/actor.ts';
import { orNotFound } from '../domain/errors.ts';
import type { Operation } from '../domain/operation.ts';
import type { Plan } from '../domain/teams/plans.ts';
import type { Scope } from '../domain/teams/scopes.ts';
import { id, textId } from './schemas.ts';

/** The team that sent the request, and its API key. */
export interface Caller {
  teamId: number;
  teamName: string;
  plan: Plan;
  key: ApiKeyItem;
  /** null for a legacy key, which holds every scope. */
  scopes: readonly Scope[] | null;
}

/** The request as the handler receives it, validated against the endpoint's schemas. */
export interface RequestContext<Params, Query, Body> {
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  operation: Operation;
  /** The caller's key in this request and operation, for the audit log. */
  actor: Actor;
  /** The path of the request, without `/v1`. */
  path: string;
  /** The API's address including `/v1`, without a trailing slash. */
  baseUrl: string;
  requestId: string;
}

/** One endpoint: the only source of its route, scope, validation, response check, OpenAPI entry and generic tests. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without `/v1`; `{name}` is a path parameter. */
  path: string;
  /** `any-key`: a valid key and no scope; `every-scope`: all that there are; `public`: no key. */
  scope: Scope | 'any-key' | 'every-scope' | 'public';
  /** When `campaigns:send` is needed as well: the request changes what a sender has approved, or approves it. */
  sendsWhen?: string;
  /** One sentence for the API reference. */
  summary: string;
  /** True for an endpoint beyond the contract; the OpenAPI document marks it. */
  extension?: boolean;
  params?: Params;
  query?: Query;
  body?: Body;
  response: Response;
  /** For how many seconds anybody may keep its answer, which is the same for all. @default it is not kept */
  keptSeconds?: number;
  /** How its stored answer is sealed, where it shows a secret. */
  sealing?: Sealing;
  /** Throws 403 for a body that needs more scopes; asked before the answer is stored or a stored one is replayed. */
  permit?(caller: Caller, body: z.output<Body>): void;
  handle(
    context: RequestContext<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Response>> | z.input<Response>;
}

/** Any endpoint of the catalogue. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of different endpoints have nothing in common
export type AnyEndpoint = Endpoint<any, any, any, any>;

/** A folder's endpoints by operation id; generated clients name their methods after it. */
export type Endpoints = Readonly<Record<string, AnyEndpoint>>;

/** Declares an endpoint; a missing scope or a response of the wrong shape does not compile. */
export const endpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  definition: Endpoint<P, Q, B, R>,
): Endpoint<P, Q, B, R> => definition;

/** `{ data: … }`, the envelope of a single record. */
export const dataOf = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** `{ id, deleted }`, the response of a deletion. */
export const deletion = dataOf(z.object({ id, deleted: z.boolean() })).meta({ id: 'Deletion' });

/** Path parameters that are all numeric ids. */
export const idParams = <Name extends string>(...names: Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, textId])) as Record<Name, typeof textId>);

/** `{name}` in a path, and how the record is found that it names; 404 where the team has none. */
export const pathRecord = <Name extends string, T>(
  name: Name,
  find: (teamId: number, id: number) => Promise<T | undefined>,
  what: string = name,
) =>
  [
    idParams(name),
    async (teamId: number, params: Record<Name, number>) => orNotFound(await find(teamId, params[name]), what),
  ] as const;

/** Handles a deletion; the id is memoized, so that the request runs again after a crash, when the record is gone. */
export const deleteBy =
  <P>(
    name: string,
    find: (teamId: number, params: P) => Promise<{ id: number }>,
    remove: (teamId: number, id: number, by: Actor) => Promise<unknown>,
  ) =>
  async ({ caller: { teamId }, params, operation, actor }: RequestContext<P, unknown, unknown>) => {
    const id = await operation.memoize(name, async () => (await find(teamId, params)).id);
    await remove(teamId, id, actor);
    return { data: { id, deleted: true } };
  };
