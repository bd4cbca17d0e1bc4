import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { clock, real, timerOwner } from '../clock.ts';
import { Problem } from '../problem.ts';
import type { Environment, Resource, Resources } from '../template/resource.ts';
import { asFunction, type FunctionContext } from './function-context.ts';
import type { Switches } from './switches.ts';

/** The result of an invocation: the handler's value, or an error as Lambda reports it. */
export type Outcome = { value: unknown; error?: undefined } | { error: InvocationError };
/** The payload that Lambda returns for a failed invocation. */
export interface InvocationError {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

/** A function of the template that can be invoked. */
export interface LambdaFunction {
  id: string;
  name: string;
  arn: string;
  roleArn: string;
  timeoutSeconds: number;
  memoryMegabytes: number;
  invoke(event: unknown): Promise<Outcome>;
}

/** A function at work on an event. */
export interface Invocation {
  name: string;
  event: unknown;
}

/** The functions of the template. */
export interface Functions {
  all: LambdaFunction[];
  /** Finds a function by name, ARN or logical id. */
  find(reference: string): LambdaFunction | undefined;
  /** The running invocations. */
  running(): Invocation[];
  onInvoked(listener: (called: LambdaFunction, milliseconds: number, error?: InvocationError) => void): void;
}

type Handler = (event: unknown, context: unknown) => unknown;

/** Prepares every function of the template; the first invocation loads its bundle into this process. */
export function prepareFunctions(
  resources: Resources,
  environment: Environment,
  logFolder: string,
  switches: Pick<Switches, 'isOff'>,
): Functions {
  const running = new Set<Invocation>();
  const listeners: Parameters<Functions['onInvoked']>[0][] = [];
  const track = async (called: LambdaFunction, event: unknown, work: () => Promise<Outcome>): Promise<Outcome> => {
    const run = { name: called.name, event };
    running.add(run);
    // On the stack's clock, but with fractions of a millisecond.
    const now = () => performance.now() + clock.offset;
    const start = now();
    try {
      const outcome = await work();
      for (const listener of listeners) listener(called, now() - start, outcome.error);
      return outcome;
    } finally {
      running.delete(run);
    }
  };
  const all = resources.ofType('AWS::Lambda::Function').map((resource) => {
    const log = createWriteStream(join(logFolder, `${resource.name}.log`), { flags: 'a' });
    const seen = { environment: variablesOf(resource, environment), log };
    const runtime = new Runtime(resource, resources.asset(assetHash(resource)), seen);
    const { id, name, arn, properties } = resource;
    const { Role: roleArn, Timeout: timeoutSeconds = 3, MemorySize: memoryMegabytes = 128 } = properties;
    const invoke: LambdaFunction['invoke'] = async (event) =>
      switches.isOff(arn) ? { error: throttled } : track(called, event, () => runtime.invoke(event));
    const called = { id, name, arn, roleArn, timeoutSeconds, memoryMegabytes, invoke };
    return called;
  });
  const byReference = new Map(
    all.flatMap((called) => [called.id, called.name, called.arn].map((reference) => [reference, called])),
  );
  return {
    all,
    find: (reference) => byReference.get(reference),
    running: () => [...running],
    onInvoked: (listener) => void listeners.push(listener),
  };
}

function assetHash({ id, properties }: Resource): string {
  const key = properties.Code?.S3Key;
  if (typeof key !== 'string')
    throw new Problem(`The function ${id} has no code asset: the local stack runs code given by Code.fromAsset only.`);
  return key.replace(/\.zip$/, '');
}

/** A function's environment variables as on AWS; endpoint and identity direct its SDK calls to this stack. */
function variablesOf({ id, name, properties }: Resource, { region, awsEndpoint }: Environment): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    TZ: 'UTC',
    ...properties.Environment?.Variables,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize ?? 128),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_EXECUTION_ENV: `AWS_Lambda_${properties.Runtime}`,
    // All concurrent invocations share one loaded bundle; this makes libraries keep them apart.
    AWS_LAMBDA_MAX_CONCURRENCY: '1000',
  };
}

/** The loaded bundle of a function. */
class Runtime {
  readonly #resource: Resource;
  readonly #folder: string;
  readonly #seen: FunctionContext;
  #handler: Promise<Handler> | undefined;

  constructor(resource: Resource, folder: string, seen: FunctionContext) {
    this.#resource = resource;
    this.#folder = folder;
    this.#seen = seen;
  }

  invoke(event: unknown): Promise<Outcome> {
    const requestId = randomUUID();
    return timerOwner.exit(() => asFunction(this.#seen, requestId, () => this.#run(event, requestId)));
  }

  async #run(event: unknown, requestId: string): Promise<Outcome> {
    const limit = Number(this.#resource.properties.Timeout ?? 3) * 1000;
    const deadline = performance.now() + limit;
    const timeout = Promise.withResolvers<Outcome>();
    const timer = real.setTimeout(() => timeout.resolve({ error: timedOut(requestId, limit) }), limit);
    try {
      const outcome = await Promise.race([this.#call(event, this.#context(requestId, deadline)), timeout.promise]);
      if (outcome.error) this.#seen.log.write(`${JSON.stringify({ level: 'ERROR', requestId, ...outcome.error })}\n`);
      return outcome;
    } finally {
      real.clearTimeout(timer);
    }
  }

  async #call(event: unknown, context: unknown): Promise<Outcome> {
    try {
      this.#handler ??= this.#load();
      const handler = await this.#handler;
      return { value: (await handler(event, context)) ?? null };
    } catch (error) {
      return { error: invocationError(error) };
    }
  }

  async #load(): Promise<Handler> {
    const [module = 'index', name = 'handler'] = String(this.#resource.properties.Handler).split('.');
    const file = join(this.#folder, `${module}.mjs`);
    const { [name]: handler } = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    if (typeof handler !== 'function')
      throw Object.assign(new Error(`${module}.${name} is undefined or not exported`), {
        name: 'Runtime.HandlerNotFound',
      });
    return handler as Handler;
  }

  #context(awsRequestId: string, deadline: number): unknown {
    const { name, arn, properties } = this.#resource;
    return {
      awsRequestId,
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: arn,
      memoryLimitInMB: String(properties.MemorySize ?? 128),
      getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
    };
  }
}

/** What a function without concurrency answers, and Lambda for it. */
export const throttled: InvocationError = { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' };

function timedOut(requestId: string, limit: number): InvocationError {
  const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${(limit / 1000).toFixed(2)} seconds`;
  return { errorType: 'Sandbox.Timedout', errorMessage };
}

function invocationError(error: unknown): InvocationError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') };
}
