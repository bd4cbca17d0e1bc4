import { request as send } from 'node:http';
import { type Answer, awsError } from './errors.ts';

/** Forwards a Bedrock call to the endpoint in AWS_ENDPOINT_URL_BEDROCK_RUNTIME: the stack runs no model itself. */
export function forwardToModel(request: {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}): Promise<Answer> {
  const endpoint = process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME;
  if (!endpoint) {
    const message =
      'The local stack has no model: set AWS_ENDPOINT_URL_BEDROCK_RUNTIME to an http endpoint that has one.';
    return Promise.resolve(awsError('bedrock', 'ResourceNotFoundException', message));
  }
  const { method, path, headers, body } = request;
  return new Promise((done, fail) => {
    const { host } = new URL(endpoint);
    const forwarded = send(new URL(path, endpoint), { method, headers: { ...headers, host } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const answered = Object.entries(response.headers).filter(([name]) => /^(?:content-type|x-amzn-)/.test(name));
        done({
          status: response.statusCode ?? 502,
          headers: Object.fromEntries(answered.map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(chunks),
        });
      });
    });
    forwarded.on('error', fail);
    forwarded.end(body);
  });
}
