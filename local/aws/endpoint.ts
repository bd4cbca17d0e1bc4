import { createServer, type Server } from 'node:http';
import { real } from '../clock.ts';
import { type Faults, faultAnswer } from '../faults.ts';
import type { Functions } from '../lambda/runtime.ts';
import type { Permissions } from '../template/permissions.ts';
import type { Resources, Surroundings } from '../template/resource.ts';
import type { Usage } from '../usage.ts';
import { askElsewhere } from './bedrock.ts';
import { type AwsCall, readCall } from './calls.ts';
import type { DynamoDb } from './dynamodb.ts';
import { type Answer, awsError } from './errors.ts';
import { type Answering, type AwsRequest, answerInProcess } from './in-process.ts';
import { deliveryFault, type Queues } from './queues.ts';
import type { Workflows } from './workflows.ts';

const hangMilliseconds = 3_000;

/** The engines behind the AWS endpoint, and the rules it applies before it passes a call on. */
export interface Engines {
  resources: Resources;
  surroundings: Surroundings;
  permissions: Permissions;
  functions: Functions;
  faults: Faults;
  usage: Usage;
  dynamoDb: DynamoDb;
  queues: Queues;
  workflows: Workflows;
  ses: {
    handle(request: AwsRequest): Promise<Answer>;
  };
}

/** The one AWS endpoint of the stack. */
export interface Wire {
  endpoint: string;
  /** Connects the engines; calls before that wait. */
  connect(engines: Engines): void;
  /** Publishes to a topic as a service of AWS does: with faults, without a caller's rights. */
  publish(topicArn: string, message: string): Promise<void>;
  close(): void;
}

/** Opens the endpoint on a free port of this machine; with `inProcess`, the calls of this process take the short way. */
export async function openWire({ inProcess }: { inProcess: boolean }): Promise<Wire> {
  const connected = Promise.withResolvers<Engines>();
  const answer: Answering = async (request) => answerOf(await connected.promise, request);
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = 'POST', url: path = '/' } = request;
      const headers = request.headers as Record<string, string>;
      const answered = await answer({ method, path, headers, body: Buffer.concat(chunks) });
      if (answered === 'lost') return void response.destroy();
      response.writeHead(answered.status, answered.headers);
      response.end(answered.body);
    });
  });
  await listen(server);
  const { port } = server.address() as { port: number };
  const stopAnswering = inProcess ? answerInProcess(port, answer) : () => {};
  return {
    endpoint: `http://127.0.0.1:${port}`,
    connect: connected.resolve,
    publish: async (topicArn, message) => publish(await connected.promise, topicArn, message),
    close() {
      stopAnswering();
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((done, fail) => {
    server.on('error', fail);
    server.listen(0, '127.0.0.1', done);
  });
}

async function answerOf(engines: Engines, request: AwsRequest): Promise<Answer | 'lost'> {
  let answer: Answer | 'lost';
  try {
    answer = await handle(engines, request);
  } catch (error) {
    answer = awsError('lambda', 'ServiceUnavailable', `The local stack could not answer: ${(error as Error).message}`);
  }
  if (answer === 'lost') return answer;
  // On the stack's clock: the SDK would take another date for a skewed clock of its own, and sign and retry accordingly.
  const date = new Date().toUTCString();
  const headers = { ...answer.headers, date, 'content-length': String(Buffer.byteLength(answer.body)) };
  return { ...answer, headers };
}

async function handle(engines: Engines, request: AwsRequest): Promise<Answer | 'lost'> {
  const call = readCall(request, engines.surroundings, engines.resources);
  if (!call) return awsError('lambda', 'MissingAuthenticationToken', 'The request is not signed.');
  const denied = denial(engines, call);
  if (denied) return denied;
  return withFaults(engines, call, request.body, () => forward(engines, call, request));
}

/** The answer to a function whose role does not allow the call; whoever is not a function of the template may do anything. */
function denial({ functions, permissions }: Engines, call: AwsCall): Answer | undefined {
  const caller = functions.find(call.caller);
  if (!caller) return undefined;
  const missing = call.rights().find(({ action, resource }) => !permissions.allows(caller.roleArn, action, resource));
  if (!missing) return undefined;
  const message = `User: ${caller.roleArn} is not authorized to perform: ${missing.action} on resource: ${missing.resource} because no identity-based policy allows the ${missing.action} action`;
  console.error(`Denied to ${caller.name}: ${missing.action} on ${missing.resource}. Its role is defined in lib/.`);
  return awsError(
    call.service,
    call.service === 's3' || call.service === 'sns' ? 'AccessDenied' : 'AccessDeniedException',
    message,
  );
}

async function withFaults(
  { faults, usage }: Engines,
  call: AwsCall,
  body: Buffer,
  pass: () => Promise<Answer>,
): Promise<Answer | 'lost'> {
  const fault = faults.take(call.service, call.operation);
  usage.count(call);
  if (fault === undefined) return pass();
  if (fault === 'timeout') {
    await real.sleep(hangMilliseconds);
    return 'lost';
  }
  if (fault === 'lost_response') {
    await pass();
    return 'lost';
  }
  if (fault === 'duplicate' || fault === 'reorder') return deliveryFault.run(fault, pass);
  return faultAnswer(call.service, fault, body);
}

async function forward(engines: Engines, call: AwsCall, request: AwsRequest): Promise<Answer> {
  const { path, headers, body } = request;
  switch (call.service) {
    case 'dynamodb':
      return engines.usage.metered(call, body, (metered) =>
        engines.dynamoDb.forward({ ...headers, 'content-length': String(metered.length) }, metered),
      );
    case 'sqs':
    case 'sns':
    case 's3':
    case 'sts':
      return engines.queues.handle({ ...request, url: path });
    case 'ses':
      return engines.ses.handle(request);
    case 'states':
      return engines.workflows.handle(call.operation, JSON.parse(body.toString() || '{}'));
    case 'bedrock':
      return askElsewhere(request);
    case 'lambda':
      return invoke(engines, request);
    default:
      return awsError('lambda', 'UnknownService', `The local stack does not have the service ${call.service}.`);
  }
}

/** The Invoke API of Lambda. */
async function invoke({ functions }: Engines, { path, headers, body }: AwsRequest): Promise<Answer> {
  const name = decodeURIComponent(/^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(path)?.[1] ?? '');
  const called = functions.find(name);
  if (!called) return awsError('lambda', 'ResourceNotFoundException', `Function not found: ${name}`);
  const event = body.length > 0 ? JSON.parse(body.toString()) : {};
  if (headers['x-amz-invocation-type'] === 'Event') {
    void called.invoke(event);
    return { status: 202, headers: {}, body: '' };
  }
  const { error, ...outcome } = await called.invoke(event);
  const answered: Record<string, string> = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST' };
  if (error) answered['x-amz-function-error'] = 'Unhandled';
  return { status: 200, headers: answered, body: JSON.stringify(error ?? ('value' in outcome ? outcome.value : null)) };
}

async function publish(engines: Engines, topicArn: string, message: string): Promise<void> {
  const body = Buffer.from(
    new URLSearchParams({ Action: 'Publish', Version: '2010-03-31', TopicArn: topicArn, Message: message }).toString(),
  );
  const headers = { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' };
  const call: AwsCall = { service: 'sns', operation: 'Publish', caller: 'ses', rights: () => [] };
  const answer = await withFaults(engines, call, body, () =>
    engines.queues.handle({ method: 'POST', url: '/', headers, body }),
  );
  if (answer === 'lost' || answer.status >= 300)
    throw new Error(answer === 'lost' ? 'The answer was lost.' : String(answer.body));
}
