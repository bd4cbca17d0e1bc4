import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { real } from '../clock.ts';
import type { Functions } from '../lambda/runtime.ts';
import { Problem } from '../problem.ts';
import { mayInvoke } from '../template/permissions.ts';
import type { Resources } from '../template/resource.ts';
import { type HttpResult, httpEvent, httpResult, type LambdaResult } from './http-event.ts';
import { type RouteMatch, Routes } from './routes.ts';

const maxBodyBytes = 10 * 1024 * 1024;
/** Lambda takes the whole event, in which the body is a JSON string or base64. */
const maxEventBytes = 6 * 1024 * 1024;
const integrationTimeout = 30_000;

/** Answers a request to the controls of the stack; returns undefined for any other request. */
export type ControlHandler = (
  request: IncomingMessage,
  url: URL,
  body: Buffer,
) => HttpResult | Promise<HttpResult> | undefined;

/** The HTTP server of the API, the inbox and the controls. */
export interface Gateway {
  /** Address without a trailing slash. */
  baseUrl: string;
  /** Starts answering; earlier requests wait for this. */
  serve(routes: Routes, handleControl: ControlHandler): void;
  close(): void;
}

/** Opens the port; throws a Problem when it is in use. */
export async function openGateway(port: number): Promise<Gateway> {
  const serving = Promise.withResolvers<{ routes: Routes; handleControl: ControlHandler }>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void readBody(request).then(async (body) => {
      const { routes, handleControl } = await serving.promise;
      write(request, response, await answer(request, body, routes, handleControl));
    });
  });
  const opened = await listen(server, port);
  return {
    baseUrl: `http://127.0.0.1:${opened}`,
    serve: (routes, handleControl) => serving.resolve({ routes, handleControl }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Reads the routes of the template's HTTP API. */
export function readRoutes(resources: Resources, functions: Functions): Routes {
  const apis = resources.ofType('AWS::ApiGatewayV2::Api');
  if (apis.length > 1) throw new Problem(`The local stack serves one HTTP API; the template has ${apis.length}.`);
  const integrations = new Map(
    resources.ofType('AWS::ApiGatewayV2::Integration').map((resource) => [resource.name, resource]),
  );
  const routes = new Routes();
  for (const { id, stack, properties } of resources.ofType('AWS::ApiGatewayV2::Route')) {
    const integration = integrations.get(String(properties.Target).replace('integrations/', ''));
    const target = functions.find(integration?.properties.IntegrationUri);
    if (!target)
      throw new Problem(`The route ${properties.RouteKey} (${id} in ${stack}) leads to no function of the template.`);
    if (!mayInvoke(resources, 'apigateway.amazonaws.com', target))
      throw new Problem(
        `No AWS::Lambda::Permission allows API Gateway to invoke ${target.name}, the target of ${properties.RouteKey}.`,
      );
    routes.add({ routeKey: properties.RouteKey, target });
  }
  return routes;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      const choose = 'choose another: PORT=8788 npm start (PORT=0 takes any free one)';
      const busy = `Port ${port} is in use. Stop the program that uses it, or ${choose}.`;
      const message = error.code === 'EADDRINUSE' ? busy : `Port ${port} cannot be opened: ${error.message}.`;
      fail(new Problem(message));
    });
    server.listen(port, '127.0.0.1', () => done((server.address() as { port: number }).port));
  });
}

/** Reads the body; undefined when it is larger than API Gateway accepts. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
    }
  } catch {
    request.socket.destroy();
  }
  return size > maxBodyBytes ? undefined : Buffer.concat(chunks);
}

async function answer(
  request: IncomingMessage,
  body: Buffer | undefined,
  routes: Routes,
  handleControl: ControlHandler,
): Promise<HttpResult> {
  if (!body) return tooLarge();
  const url = URL.parse(`http://localhost${request.url}`);
  if (!url) return message(400, 'Bad Request');
  try {
    const page = handleControl(request, url, body);
    if (page) return await page;
    const match = routes.match(request.method ?? 'GET', url.pathname);
    if (!match) return message(404, 'Not Found');
    const event = httpEvent(request, url, body, match);
    // A byte is six at most when it is escaped.
    const mayBeTooLarge = body.length > maxEventBytes / 6 - 100_000;
    if (mayBeTooLarge && Buffer.byteLength(JSON.stringify(event)) > maxEventBytes) return tooLarge();
    return await call(match, event);
  } catch (error) {
    console.error(error);
    return message(500, 'Internal Server Error');
  }
}

async function call({ target }: RouteMatch, event: unknown): Promise<HttpResult> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = real.setTimeout(() => timeout.resolve(undefined), integrationTimeout);
  try {
    const outcome = await Promise.race([target.invoke(event), timeout.promise]);
    if (!outcome) return message(503, 'Service Unavailable');
    return outcome.error ? message(500, 'Internal Server Error') : httpResult(outcome.value as LambdaResult);
  } finally {
    real.clearTimeout(timer);
  }
}

const tooLarge = (): HttpResult => message(413, 'Request Entity Too Large');

function message(status: number, text: string): HttpResult {
  const body = Buffer.from(JSON.stringify({ message: text }));
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function write(request: IncomingMessage, response: ServerResponse, { status, headers, body }: HttpResult): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}
