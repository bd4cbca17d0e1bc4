import { randomUUID } from 'node:crypto';

/** A complete answer of the AWS endpoint. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

const jsonNamespaces: Record<string, string> = {
  dynamodb: 'com.amazonaws.dynamodb.v20120810#',
  sqs: 'com.amazonaws.sqs#',
  states: '',
  kms: '',
};

/** The HTTP status of an error code in a service of AWS. */
function statusOf(service: string, code: string): number {
  if (/^(Internal|Unknown|KMSInternal)/.test(code)) return 500;
  if (/Unavailable|SlowDown/.test(code)) return 503;
  const restful = !(service in jsonNamespaces);
  if (restful && /TooManyRequests|Throttl|LimitExceeded/.test(code)) return 429;
  if (restful && /AccessDenied/.test(code)) return 403;
  if (restful && /NotFound/.test(code)) return 404;
  return 400;
}

/** An error in the service's own protocol, so that the SDK throws an exception with that name. */
export function awsError(service: string, code: string, message: string, extra: Record<string, unknown> = {}): Answer {
  const status = statusOf(service, code);
  const requestId = randomUUID();
  if (service === 's3') {
    const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const xml = `<Error><Code>${code}</Code><Message>${text}</Message><RequestId>${requestId}</RequestId></Error>`;
    return { status, headers: { 'content-type': 'text/xml' }, body: xml };
  }
  const namespace = jsonNamespaces[service];
  if (namespace === undefined) {
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': code, 'x-amzn-requestid': requestId };
    return { status, headers, body: JSON.stringify({ message, ...extra }) };
  }
  const headers: Record<string, string> = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-requestid': requestId,
  };
  if (service === 'sqs') headers['x-amzn-query-error'] = `${code};${status < 500 ? 'Sender' : 'Receiver'}`;
  return { status, headers, body: JSON.stringify({ __type: namespace + code, message, ...extra }) };
}
