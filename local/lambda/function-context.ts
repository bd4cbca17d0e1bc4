import { AsyncLocalStorage } from 'node:async_hooks';
import type { WriteStream } from 'node:fs';

/** What a function's code sees of the process while it runs. */
export interface FunctionContext {
  environment: Record<string, string>;
  log: WriteStream;
}

/** The running function; `store` has the values that the Lambda runtime keeps for libraries. */
const current = new AsyncLocalStorage<FunctionContext & { store: Record<string | symbol, unknown> }>();
const requestId = Symbol.for('_AWS_LAMBDA_REQUEST_ID');

/** Runs an invocation of a function's code: with its environment variables and its log file. */
export function asFunction<T>(context: FunctionContext, invocationId: string, work: () => T): T {
  return current.run({ ...context, store: { [requestId]: invocationId } }, work);
}

/** Makes `process.env`, the standard streams and Lambda's invocation store follow the running function. */
export function installFunctionContext(): void {
  process.env = environmentProxy(process.env);
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (...args: unknown[]) => {
      const [chunk, ...rest] = args as [string];
      return current.getStore()?.log.write(chunk) ?? write(chunk, ...rest);
    };
  }
  Object.assign(globalThis, { awslambda: { InvokeStore: invokeStore } });
}

function environmentProxy(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const environment = () => current.getStore()?.environment ?? own;
  return new Proxy(own, {
    get: (_, key) => Reflect.get(environment(), key),
    set: (_, key, value) => Reflect.set(environment(), key, String(value)),
    has: (_, key) => Reflect.has(environment(), key),
    deleteProperty: (_, key) => Reflect.deleteProperty(environment(), key),
    ownKeys: () => Reflect.ownKeys(environment()),
    getOwnPropertyDescriptor: (_, key) => {
      const value = Reflect.get(environment(), key);
      return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
    },
  });
}

/** Has the interface of Lambda's invocation store, so that log keys of concurrent invocations do not mix. */
const invokeStore = {
  hasContext: () => current.getStore() !== undefined,
  getContext: () => current.getStore()?.store,
  get: (key: string | symbol) => current.getStore()?.store[key],
  set(key: string | symbol, value: unknown) {
    const context = current.getStore();
    if (context) context.store[key] = value;
  },
  getRequestId: () => (current.getStore()?.store[requestId] as string | undefined) ?? '-',
  getXRayTraceId: () => undefined,
  getTenantId: () => undefined,
};
