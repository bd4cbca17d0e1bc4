import { type Answer, awsError } from './errors.ts';
import { forwardTo } from './forward.ts';
import type { AwsRequest } from './in-process.ts';

/** Forwards a Bedrock call to the endpoint in AWS_ENDPOINT_URL_BEDROCK_RUNTIME: the stack runs no model itself. */
export async function forwardToModel(request: AwsRequest): Promise<Answer> {
  const endpoint = process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME;
  if (endpoint) return forwardTo(endpoint, request);
  const message =
    'The local stack has no model: set AWS_ENDPOINT_URL_BEDROCK_RUNTIME to an http endpoint that has one.';
  return awsError('bedrock', 'ResourceNotFoundException', message);
}
