import { randomUUID } from 'node:crypto';
import type {
  CreateEmailIdentityRequest,
  PutAccountDetailsRequest,
  PutAccountPricingAttributesRequest,
  PutEmailIdentityFeedbackAttributesRequest,
  PutEmailIdentityMailFromAttributesRequest,
  PutSuppressedDestinationRequest,
} from '@aws-sdk/client-sesv2';
import type { Answer } from '../aws/errors.ts';
import { SesError } from './errors.ts';
import { type Sending, sendBulkEmail, sendEmail } from './send.ts';
import type { TrackRequest } from './tracking.ts';

/** A signed SES v2 request. */
export interface SesRequest extends TrackRequest {
  body: Buffer;
}

/** A parsed request: the identity in its path, and its body. */
interface Input {
  name: string;
  body: Buffer;
  /** The access key that signed the request. */
  caller: string;
  json<T>(): T;
}

type Operation = (server: Sending, input: Input) => object;

const limited = /^GetAccount$|EmailIdentity|Suppressed/;

const operations: Record<string, Operation> = {
  SendBulkEmail: (server, { body, caller, json }) => sendBulkEmail(server, { input: json(), body, caller }),
  SendEmail: (server, { body, caller, json }) => sendEmail(server, { input: json(), body, caller }),
  GetAccount: getAccount,
  PutAccountDetails: ({ account }, { json }) => putAccount(account, json()),
  PutAccountPricingAttributes: ({ account }, { json }) => putPricing(account, json()),
  CreateEmailIdentity: ({ identities }, { json }) => identities.create(json<CreateEmailIdentityRequest>()),
  GetEmailIdentity: ({ identities }, { name }) => identities.get(name),
  DeleteEmailIdentity: ({ identities }, { name }) => identities.drop(name),
  PutEmailIdentityMailFromAttributes: ({ identities }, { name, json }) =>
    identities.setMailFrom(name, json<PutEmailIdentityMailFromAttributesRequest>().MailFromDomain),
  PutEmailIdentityFeedbackAttributes: ({ identities }, { name, json }) =>
    identities.setForwarding(name, json<PutEmailIdentityFeedbackAttributesRequest>().EmailForwardingEnabled),
  PutSuppressedDestination: ({ suppressed }, { json }) => suppressed.put(json<PutSuppressedDestinationRequest>()),
  GetSuppressedDestination: ({ suppressed }, { name }) => suppressed.get(name),
  DeleteSuppressedDestination: ({ suppressed }, { name }) => suppressed.drop(name),
};

/** The operations by method and path, the frequent ones first. */
const routes: [operation: string, method: string, path: RegExp][] = [
  ['SendBulkEmail', 'POST', /^\/v2\/email\/outbound-bulk-emails$/],
  ['SendEmail', 'POST', /^\/v2\/email\/outbound-emails$/],
  ['GetAccount', 'GET', /^\/v2\/email\/account$/],
  ['PutAccountDetails', 'POST', /^\/v2\/email\/account\/details$/],
  ['PutAccountPricingAttributes', 'PUT', /^\/v2\/email\/account\/pricing-attributes$/],
  ['CreateEmailIdentity', 'POST', /^\/v2\/email\/identities$/],
  ['GetEmailIdentity', 'GET', /^\/v2\/email\/identities\/([^/]+)$/],
  ['DeleteEmailIdentity', 'DELETE', /^\/v2\/email\/identities\/([^/]+)$/],
  ['PutEmailIdentityMailFromAttributes', 'PUT', /^\/v2\/email\/identities\/([^/]+)\/mail-from$/],
  ['PutEmailIdentityFeedbackAttributes', 'PUT', /^\/v2\/email\/identities\/([^/]+)\/feedback$/],
  ['PutSuppressedDestination', 'PUT', /^\/v2\/email\/suppression\/addresses$/],
  ['GetSuppressedDestination', 'GET', /^\/v2\/email\/suppression\/addresses\/([^/]+)$/],
  ['DeleteSuppressedDestination', 'DELETE', /^\/v2\/email\/suppression\/addresses\/([^/]+)$/],
];

/** The operation of a request, and the identity in its path; method and path for one that is not known. */
export function operationOf({ method, path }: Pick<SesRequest, 'method' | 'path'>): {
  operation: string;
  name: string;
} {
  const [pathname = ''] = path.split('?', 1);
  for (const [operation, verb, pattern] of routes) {
    const match = verb === method && pattern.exec(pathname);
    if (match) return { operation, name: decodeURIComponent(match[1] ?? '') };
  }
  return { operation: `${method} ${pathname}`, name: '' };
}

/** Answers an API request with the operation's result, or with an error that the SDK understands. */
export function answer(server: Sending, request: SesRequest): Answer {
  try {
    return reply(200, dispatch(server, request));
  } catch (error) {
    if (error instanceof SesError) return reply(error.status, { message: error.message }, error.name);
    return reply(500, { message: `The local SES failed: ${error}` }, 'InternalServiceErrorException');
  }
}

function dispatch(server: Sending, request: SesRequest): object {
  const { operation, name } = operationOf(request);
  const run = operations[operation];
  if (!run) throw new SesError('UnknownOperationException', 404, `The local SES does not know ${operation}.`);
  if (limited.test(operation)) server.limits.takeCall(operation);
  const { headers, body } = request;
  const caller = /Credential=([^/,\s]+)/.exec(headers.authorization ?? '')?.[1] ?? 'anonymous';
  return run(server, { name, body, caller, json: () => parse(body) });
}

function getAccount({ limits, account }: Sending): object {
  return {
    EnforcementStatus: 'HEALTHY',
    PricingAttributes: { CurrentPlan: account.plan },
    ProductionAccessEnabled: account.production,
    SendingEnabled: true,
    SendQuota: {
      Max24HourSend: limits.max24HourSend,
      MaxSendRate: limits.maxSendRate,
      SentLast24Hours: limits.sentLast24Hours(),
    },
  };
}

/** Puts the account on another pricing plan at once. */
function putPricing(account: Sending['account'], { Plan }: PutAccountPricingAttributesRequest): object {
  account.plan = Plan ?? account.plan;
  return {};
}

/** Grants or removes production access at once. */
function putAccount(account: Sending['account'], { ProductionAccessEnabled }: PutAccountDetailsRequest): object {
  account.production = ProductionAccessEnabled ?? account.production;
  return {};
}

function parse<T>(body: Buffer): T {
  let value: unknown;
  try {
    value = JSON.parse(body.toString() || '{}');
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null) return value as T;
  throw new SesError('SerializationException', 400, 'The request body is not a JSON object.');
}

function reply(status: number, result: object, errorType?: string): Answer {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'x-amzn-requestid': randomUUID() };
  if (errorType) headers['x-amzn-errortype'] = errorType;
  return { status, headers, body: JSON.stringify(result) };
}
