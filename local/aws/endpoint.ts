import { once } from 'node:events';
import { createServer } from 'node:http';
import { real } from '../clock.ts';
import { type Faults, faultAnswer } from '../faults.ts';
import { type Functions, throttled } from '../lambda/runtime.ts';
import type { Switches } from '../lambda/switches.ts';
import type { Permissions } from '../template/permissions.ts';
import type { Environment, Resources } from '../template/resource.ts';
import type { Usage } from '../usage.ts';
import { forwardToModel } from './bedrock.ts';
import { type AwsCall, readCall } from './calls.ts';
import { type Answer, awsError } from './errors.ts';
import { type AwsHandler, type AwsRequest, answerInProcess } from './in-process.ts';
import type { Kms } from './kms.ts';
import { deliveryFault, type Queues } from './queues.ts';
import type { DynamoDb } from './tables.ts';
import type { Transactions } from './transactions.ts';
import type { Workflows } from './workflows.ts';

const hangMilliseconds = 3_000;

/** The engines behind the AWS endpoint, and what it checks and counts before it forwards a call. */
export interface Engines {
  resources: Resources;
  environment: Environment;
  permissions: Permissions;
  functions: Functions;
  switches: Switches;
  faults: Faults;
  usage: Usage;
  dynamoDb: DynamoDb;
  transactions: Transactions;
  queues: Queues;
  workflows: Workflows;
  kms: Kms;
  ses: { handle(request: AwsRequest): Answer; tagsOf(identity: string): Record<string, string> };
}

/** The AWS endpoint of the stack. */
export interface AwsEndpoint {
  endpoint: string;
  /** Connects the engines; earlier calls wait for this. */
  connect(engines: Engines): void;
  /** Publishes to a topic as an AWS service does: faults apply, permissions do not. */
  publish(topicArn: string, message: string): Promise<void>;
  /** The calls that are being answered. */
  underWay(): number;
  close(): void;
}

/** Opens the endpoint on a free port; with `inProcess`, calls of this process are answered without a socket. */
export async function openAwsEndpoint({ inProcess }: { inProcess: boolean }): Promise<AwsEndpoint> {
  const connected = Promise.withResolvers<Engines>();
  let underWay = 0;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    underWay++;
    return work.finally(() => underWay--);
  };
  const answer: AwsHandler = async (request) => counted(answerOf(await connected.promise, request));
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = 'POST', url: path = '/' } = request;
      const headers = request.headers as Record<string, string>;
      const answered = await answer({ method, path, headers, body: Buffer.concat(chunks) });
      if (answered === 'lost') response.destroy();
      else response.writeHead(answered.status, answered.headers).end(answered.body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const stopAnswering = inProcess ? answerInProcess(port, answer) : () => {};
  return {
    endpoint: `http://127.0.0.1:${port}`,
    connect: connected.resolve,
    publish: async (topicArn, message) => counted(publish(await connected.promise, topicArn, message)),
    underWay: () => underWay,
    close() {
      stopAnswering();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answerOf(engines: Engines, request: AwsRequest): Promise<Answer | 'lost'> {
  const answer = await handle(engines, request).catch((error: Error) =>
    awsError('lambda', 'ServiceUnavailable', `The local stack could not answer: ${error.message}`),
  );
  if (answer === 'lost') return answer;
  // The SDK compares this date with its own clock, which is the stack's; another date would make it correct for skew.
  const date = new Date().toUTCString();
  const headers = { ...answer.headers, date, 'content-length': String(Buffer.byteLength(answer.body)) };
  return { ...answer, headers };
}

async function handle(engines: Engines, request: AwsRequest): Promise<Answer | 'lost'> {
  const call = readCall(request, engines.environment, engines.resources);
  if (!call) return awsError('lambda', 'MissingAuthenticationToken', 'The request is not signed.');
  const denied = denial(engines, call);
  if (denied) return denied;
  return withFaults(engines, call, request.body, () => forward(engines, call, request));
}

/** The refusal of a function whose role does not allow the call; other callers may do anything. */
function denial({ functions, permissions, ses }: Engines, call: AwsCall): Answer | undefined {
  const caller = functions.find(call.caller);
  if (!caller) return undefined;
  const missing = call.permissions().find(({ action, resource, ...asked }) => {
    const tags = () => ses.tagsOf(resource.split(':identity/')[1] ?? '');
    return !permissions.allows(caller.roleArn, action, resource, { tags, ...asked });
  });
  if (!missing) return undefined;
  const { action, resource } = missing;
  console.error(`Denied to ${caller.name}: ${action} on ${resource}. Its role is defined in lib/.`);
  const message =
    `User: ${caller.roleArn} is not authorized to perform: ${action} on resource: ${resource} ` +
    `because no identity-based policy allows the ${action} action`;
  return awsError(call.service, call.service === 's3' ? 'AccessDenied' : 'AccessDeniedException', message);
}

async function withFaults(
  { faults, usage }: Engines,
  call: AwsCall,
  body: Buffer,
  pass: () => Promise<Answer>,
): Promise<Answer | 'lost'> {
  const { error: fault, seconds = 1 } = faults.take(call.service, call.operation, body) ?? {};
  usage.count(call);
  if (fault === undefined) return pass();
  if (fault === 'timeout') {
    await real.sleep(hangMilliseconds);
    return 'lost';
  }
  if (fault === 'slow') {
    await real.sleep(seconds * 1_000);
    return pass();
  }
  if (fault === 'lost_response') {
    await pass();
    return 'lost';
  }
  // DynamoDB still works on an earlier call of the same transaction, whose answer was lost.
  if (fault === 'TransactionInProgressException') await pass();
  if (fault === 'duplicate' || fault === 'reorder') return deliveryFault.run(fault, pass);
  return faultAnswer(call.service, fault, body);
}

async function forward(engines: Engines, call: AwsCall, request: AwsRequest): Promise<Answer> {
  const { path, headers, body } = request;
  const switched = ['lambda', 'events'].includes(call.service)
    ? engines.switches.handle(engines.resources, call.operation, request)
    : undefined;
  if (switched) return switched;
  switch (call.service) {
    case 'dynamodb':
      return engines.transactions.run(call.operation, body, () =>
        engines.usage.metered(call, body, (metered, operation = call.operation) => {
          const target = { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-length': String(metered.length) };
          return engines.dynamoDb.forward({ ...headers, ...target }, metered);
        }),
      );
    case 'sqs':
    case 's3':
      return engines.queues.handle({ ...request, url: path });
    case 'ses':
      return engines.ses.handle(request);
    case 'states':
      return engines.workflows.handle(call.operation, JSON.parse(body.toString() || '{}'));
    case 'kms':
      return engines.kms.handle(call.operation, JSON.parse(body.toString()));
    case 'bedrock':
      return forwardToModel(request);
    case 'lambda':
      return invoke(engines, request);
    default:
      return awsError('lambda', 'UnknownService', `The local stack does not have the service ${call.service}.`);
  }
}

/** The Invoke API of Lambda. */
async function invoke({ functions }: Engines, { path, body }: AwsRequest): Promise<Answer> {
  const name = decodeURIComponent(/^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(path)?.[1] ?? '');
  const called = functions.find(name);
  if (!called) return awsError('lambda', 'ResourceNotFoundException', `Function not found: ${name}`);
  const outcome = await called.invoke(JSON.parse(body.toString() || '{}'));
  if (outcome.error === throttled) return awsError('lambda', throttled.errorType, throttled.errorMessage);
  const headers: Record<string, string> = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST' };
  if (outcome.error) headers['x-amz-function-error'] = 'Unhandled';
  return { status: 200, headers, body: JSON.stringify(outcome.error ?? outcome.value) };
}

async function publish(engines: Engines, topicArn: string, message: string): Promise<void> {
  const form = { Action: 'Publish', Version: '2010-03-31', TopicArn: topicArn, Message: message };
  const body = Buffer.from(String(new URLSearchParams(form)));
  const headers = { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' };
  const call: AwsCall = { service: 'sns', operation: 'Publish', caller: 'ses', permissions: () => [] };
  const answer = await withFaults(engines, call, body, () =>
    engines.queues.handle({ method: 'POST', url: '/', headers, body }),
  );
  if (answer === 'lost') throw new Error('The answer was lost.');
  if (answer.status >= 300) throw new Error(String(answer.body));
}
