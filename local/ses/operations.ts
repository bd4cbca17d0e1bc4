import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type {
  CreateEmailIdentityRequest,
  PutAccountDetailsRequest,
  PutEmailIdentityMailFromAttributesRequest,
} from '@aws-sdk/client-sesv2';
import type { Answer } from '../aws/errors.ts';
import { SesError } from './errors.ts';
import { type Sending, sendBulkEmail, sendEmail } from './send.ts';

/** A signed SES v2 request. */
export interface SesRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
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

type Operation = [method: string, path: RegExp, run: (server: Sending, input: Input) => object];

const IDENTITY = '/v2/email/identities/([^/]+)';
const operations: Operation[] = [
  ['POST', route('/v2/email/outbound-bulk-emails'), (server, input) => sendBulkEmail(server, sendRequest(input))],
  ['POST', route('/v2/email/outbound-emails'), (server, input) => sendEmail(server, sendRequest(input))],
  ['GET', route('/v2/email/account'), getAccount],
  ['POST', route('/v2/email/account/details'), ({ account }, { json }) => putAccount(account, json())],
  [
    'POST',
    route('/v2/email/identities'),
    ({ identities }, { json }) => identities.create(json<CreateEmailIdentityRequest>().EmailIdentity),
  ],
  ['GET', route(IDENTITY), ({ identities }, { name }) => identities.get(name)],
  ['DELETE', route(IDENTITY), ({ identities }, { name }) => identities.drop(name)],
  [
    'PUT',
    route(`${IDENTITY}/mail-from`),
    ({ identities }, { name, json }) =>
      identities.setMailFrom(name, json<PutEmailIdentityMailFromAttributesRequest>().MailFromDomain),
  ],
];

/** Answers an API request with the operation's result, or with an error that the SDK understands. */
export function answer(server: Sending, request: SesRequest): Answer {
  try {
    return reply(200, dispatch(server, request));
  } catch (error) {
    if (error instanceof SesError) return reply(error.status, { message: error.message }, error.name);
    return reply(500, { message: `The local SES failed: ${error}` }, 'InternalServiceErrorException');
  }
}

function dispatch(server: Sending, { method, path, headers, body }: SesRequest): object {
  const [pathname = ''] = path.split('?', 1);
  for (const [verb, pattern, run] of operations) {
    const match = verb === method && pattern.exec(pathname);
    if (!match) continue;
    return run(server, {
      name: decodeURIComponent(match[1] ?? ''),
      body,
      caller: callerOf(headers),
      json: () => parse(body),
    });
  }
  throw new SesError('UnknownOperationException', 404, `The local SES does not know ${method} ${pathname}.`);
}

function getAccount({ limits, account }: Sending): object {
  return {
    EnforcementStatus: 'HEALTHY',
    ProductionAccessEnabled: account.production,
    SendingEnabled: true,
    SendQuota: {
      Max24HourSend: limits.max24HourSend,
      MaxSendRate: limits.maxSendRate,
      SentLast24Hours: limits.sentLast24Hours(),
    },
  };
}

/** Grants or removes production access at once. */
function putAccount(account: Sending['account'], { ProductionAccessEnabled }: PutAccountDetailsRequest): object {
  account.production = ProductionAccessEnabled ?? account.production;
  return {};
}

function sendRequest<T>({ body, caller, json }: Input) {
  return { input: json<T>(), body, caller };
}

function route(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
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

function callerOf({ authorization }: IncomingHttpHeaders): string {
  return /Credential=([^/,\s]+)/.exec(authorization ?? '')?.[1] ?? 'anonymous';
}

function reply(status: number, result: object, errorType?: string): Answer {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'x-amzn-requestid': randomUUID() };
  if (errorType) headers['x-amzn-errortype'] = errorType;
  return { status, headers, body: JSON.stringify(result) };
}
