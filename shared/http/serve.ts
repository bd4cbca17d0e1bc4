import { randomUUID } from 'node:crypto';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type * as z from 'zod';
import { isBusy } from '../aws/busy.ts';
import { config } from '../aws/config.ts';
import { log, logFailure } from '../aws/log.ts';
import { withinRequest } from '../data/request-deadline.ts';
import type { Actor } from '../domain/actor.ts';
import { ApiError, MethodNotAllowed, NotFound, Unavailable, ValidationError } from '../domain/errors.ts';
import type { Operation } from '../domain/operation.ts';
import { holds, holdsAll } from '../domain/teams/scopes.ts';
import { type Identification, identify, identifyAnonymous, rateHeaders } from './authentication.ts';
import type { AnyEndpoint, Caller, Endpoints } from './endpoint.ts';
import { addressOf, requireFirewall } from './firewall.ts';
import { securityHeaders } from './headers.ts';
import { begin, type Execution, plainExecution } from './idempotency.ts';
import { kept } from './kept.ts';
import { isHead, type Routes, routesOf } from './routes.ts';
import { validate } from './validation.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const maxHeaderCharacters = 500;
const bodyLimitBytes = 5 * 1024 * 1024;

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** What the steps of the chain share about one request. */
interface State {
  requestId: string;
  /** The method and the path of the route, without what its parameters stand for. */
  route: string;
  endpoint: AnyEndpoint | undefined;
  /** The methods of the path, where it is one. */
  methods: readonly string[];
  identification: Identification | undefined;
  body: string;
  execution: Execution | undefined;
}

interface Step {
  event: Event;
  context: Context;
  response: Result | null;
  error: Error | null;
  internal: Record<string, unknown>;
}

const stateOf = (request: { internal: Record<string, unknown> }): State => request.internal.state as State;

/** A Lambda handler for a folder's endpoints: the one chain that every API request passes. */
export function serve(endpoints: Endpoints) {
  const routes = routesOf(Object.values(endpoints), ({ path }) => `/v1${path}`);
  const chain = middy<Event, Result>().handler(handle);
  const steps = [trace(routes), answerErrors, authenticate, route, readBody, permit, idempotency];
  for (const step of steps) chain.use(step as middy.MiddlewareObj<Event, Result>);
  return (event: Event, context: Context): Promise<Result> =>
    withinRequest(context.getRemainingTimeInMillis(), () => chain(event, context));
}

const trace = (routes: Routes<AnyEndpoint>) => ({
  before(request: Step) {
    const { endpoint, methods, route } = routes(request.event);
    const state: State = {
      requestId: request.event.requestContext.requestId ?? randomUUID(),
      route,
      endpoint,
      methods,
      identification: undefined,
      body: '',
      execution: undefined,
    };
    request.internal.state = state;
    log.resetKeys();
    log.appendKeys({ request_id: state.requestId, route });
    // middy hands the event to the handler, and the state with it.
    (request.event as Event & { state: State }).state = state;
  },
  after: finishResponse,
  onError: finishResponse,
});

function finishResponse(request: Step) {
  const { requestId, identification, endpoint } = stateOf(request);
  const unknown = endpoint && unknownParameters(endpoint, request.event);
  request.response ??= { statusCode: 500 };
  if (isHead(request.event)) request.response.body = '';
  request.response.headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...securityHeaders(config.baseUrl),
    ...(identification && rateHeaders(identification.rate)),
    ...(unknown && { 'x-unknown-parameters': unknown }),
    ...request.response.headers,
  };
  log.info('request', { status: request.response.statusCode, team_id: identification?.caller?.teamId });
}

/** The query parameters that the endpoint does not know and ignores, percent-encoded; undefined when it knows all. */
function unknownParameters({ query }: AnyEndpoint, { queryStringParameters = {} }: Event): string | undefined {
  const known = Object.keys((query as z.ZodObject | undefined)?.shape ?? {});
  const unknown = Object.keys(queryStringParameters).filter((name) => !known.includes(name));
  return unknown.map(encodeURIComponent).join(', ').slice(0, maxHeaderCharacters) || undefined;
}

const answerErrors = {
  async onError(request: Step) {
    const error = asApiError(request.error);
    const body = JSON.stringify({
      message: error.message,
      code: error.code,
      ...(error.details.errors && { errors: error.details.errors }),
      ...(error.details.blockers && { blockers: error.details.blockers }),
      request_id: stateOf(request).requestId,
    });
    const { retryAfterSeconds: seconds, allow } = error.details;
    request.response = {
      statusCode: error.status,
      body,
      headers: {
        ...(seconds !== undefined && { 'retry-after': String(seconds) }),
        ...(allow && { allow: allow.join(', ') }),
      },
    };
    try {
      await stateOf(request).execution?.finish(error.status, body);
    } catch (failure) {
      logFailure('idempotency record not stored', failure, {});
    }
  },
};

/** The answer to an error: our own refusals word for word, 503 for a busy dependency, else a generic 500. */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isBusy(error)) {
    logFailure('dependency busy', error, {}, 'warn');
    return new Unavailable();
  }
  logFailure('unexpected error', error, {});
  return new ApiError(500, 'internal_error', 'Something went wrong on our side; the request id helps us find it.');
}

const authenticate = {
  async before(request: Step) {
    const state = stateOf(request);
    requireFirewall(request.event);
    const address = addressOf(request.event);
    const open = state.endpoint?.scope === 'public';
    const found = open ? await identifyAnonymous(address) : await identify(request.event.headers, address);
    state.identification = found;
    if (found.caller) log.appendKeys({ team_id: found.caller.teamId, key_id: found.caller.key.id });
    if (found.refusal) throw found.refusal;
  },
};

const route = {
  before(request: Step) {
    const { endpoint, methods, identification } = stateOf(request);
    const { method } = request.event.requestContext.http;
    if (!endpoint && methods.length > 0) throw new MethodNotAllowed(method, methods);
    if (!endpoint) throw new NotFound(`endpoint: ${method} ${request.event.rawPath}`);
    const { scope } = endpoint;
    if (scope === 'public' || scope === 'any-key') return;
    const held = identification!.caller!.scopes;
    if (scope === 'every-scope' && !holdsAll(held))
      throw new ApiError(403, 'missing_scope', 'This needs an API key with every scope.');
    if (scope !== 'every-scope' && !holds(held, scope))
      throw new ApiError(403, 'missing_scope', `The API key lacks the scope ${scope}.`);
  },
};

const readBody = {
  before(request: Step) {
    const { event } = request;
    const bytes = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64') : Buffer.from(event.body ?? '');
    if (bytes.length > bodyLimitBytes)
      throw new ApiError(413, 'payload_too_large', 'A request body has at most 5 MiB.');
    try {
      stateOf(request).body = utf8.decode(bytes);
    } catch {
      throw new ValidationError({ body: ['not valid UTF-8'] });
    }
  },
};

const permit = {
  before(request: Step) {
    const state = stateOf(request);
    const endpoint = state.endpoint!;
    // Before the record: a key that lacks a scope must neither store its refusal for others nor see their answer.
    endpoint.permit?.(state.identification!.caller as Caller, bodyOf(endpoint, request.event, state));
  },
};

const idempotency = {
  async before(request: Step): Promise<Result | undefined> {
    const state = stateOf(request);
    const key = request.event.headers['idempotency-key'];
    const { caller } = state.identification!;
    if (key === undefined || !caller || state.endpoint!.method === 'GET') {
      state.execution = plainExecution();
      return undefined;
    }
    const { rawPath, rawQueryString } = request.event;
    const path = rawQueryString ? `${rawPath}?${rawQueryString}` : rawPath;
    const { method, scope, sealing } = state.endpoint!;
    // Without a scope, one API key's answer (a new key's secret) must not be replayed to another key.
    const who = scope === 'any-key' ? `key ${caller.key.id}` : '';
    const begun = await begin(caller.teamId, key, { method, path, body: state.body, who }, sealing);
    if ('execution' in begun) {
      state.execution = begun.execution;
      return undefined;
    }
    request.response = {
      statusCode: begun.replay.status,
      body: begun.replay.body,
      headers: { 'idempotent-replayed': 'true' },
    };
    finishResponse(request);
    return request.response;
  },
  async after(request: Step) {
    await stateOf(request).execution?.finish(request.response!.statusCode!, request.response!.body!);
  },
};

async function handle(event: Event): Promise<Result> {
  const { state } = event as Event & { state: State };
  const endpoint = state.endpoint!;
  const body = bodyOf(endpoint, event, state);
  const query = endpoint.query && validate(endpoint.query, event.queryStringParameters ?? {});
  const { operation } = state.execution!;
  const caller = state.identification!.caller as Caller;
  const answer = await endpoint.handle({
    caller,
    params: endpoint.params && pathParameters(endpoint, event),
    query,
    body,
    operation,
    actor: actorOf(caller, event, state.requestId, operation),
    path: event.rawPath.replace(/^\/v1/, ''),
    baseUrl: `${config.baseUrl}/v1`,
    requestId: state.requestId,
  });
  const checked = endpoint.response.safeParse(answer);
  if (!checked.success) throw new ResponseMismatch(state.route, checked.error);
  const json = JSON.stringify(checked.data);
  if (endpoint.keptSeconds === undefined) return { statusCode: 200, body: json };
  return kept(json, endpoint.keptSeconds, event.headers['if-none-match']);
}

/** The body as the endpoint declares it; throws 422. */
const bodyOf = (endpoint: AnyEndpoint, event: Event, { body }: State): unknown =>
  endpoint.body && validate(endpoint.body, parseJson(body, event.headers['content-type']));

/** The actor of a request; nobody acts in a public one. */
function actorOf(caller: Caller | undefined, event: Event, requestId: string, operation: Operation) {
  const { id = 0, name = '' } = caller?.key ?? {};
  const actor: Actor = { kind: 'key', keyId: id, name, ip: addressOf(event), requestId, operation };
  return actor;
}

/** An endpoint's answer does not match its declaration. */
class ResponseMismatch extends Error {
  constructor(route: string, error: z.ZodError) {
    super(`${route}: ${error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')}`);
    this.name = 'ResponseMismatch';
  }
}

/** The path's parameters; one of the wrong form names no record: 404. */
function pathParameters(endpoint: AnyEndpoint, event: Event): unknown {
  const parsed = endpoint.params.safeParse(event.pathParameters ?? {});
  if (!parsed.success) throw new NotFound('record: the id in the path is not one');
  return parsed.data;
}

function parseJson(text: string, contentType: string | undefined): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    const hint = contentType?.includes('json') ? '' : '; send it with Content-Type: application/json';
    throw new ValidationError({ body: [`not valid JSON${hint}`] });
  }
}
