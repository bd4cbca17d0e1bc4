import { randomBytes } from 'node:crypto';
import type { DataFolder } from '../data-folder.ts';
import { Problem } from '../problem.ts';
import { forwardTo } from './forward.ts';
import type { DynamoDb } from './tables.ts';

/** Connects to the server in AWS_ENDPOINT_URL_DYNAMODB, in which the data folder has tables of its own. */
export function connectDynamoDb(endpoint: string, folder: DataFolder): DynamoDb {
  if (!URL.canParse(endpoint) || new URL(endpoint).protocol !== 'http:')
    throw new Problem(`AWS_ENDPOINT_URL_DYNAMODB must be an http address of a local engine, not ${endpoint}.`);
  const caller = callerOf(folder);
  const asOneCaller = ({ authorization = '', ...others }: Record<string, string>) => ({
    ...others,
    authorization: authorization.replace(/Credential=[^/]+/, `Credential=${caller}`),
  });
  const forward: DynamoDb['forward'] = (headers, body) =>
    forwardTo(endpoint, { method: 'POST', path: '/', headers: asOneCaller(headers), body });
  return { external: true, endpoint, forward, stop: async () => {} };
}

/**
 * The access key of a stack's calls. DynamoDB Local keeps the tables of each access key apart, and takes letters and
 * digits only: one key for all functions, and another one for each data folder.
 */
function callerOf(folder: DataFolder): string {
  const known = folder.read('dynamodb_caller');
  if (known) return known;
  // Folders of earlier versions used the same one.
  const caller = folder.read('demo_team') ? 'local' : `local${randomBytes(6).toString('hex')}`;
  folder.write('dynamodb_caller', caller);
  return caller;
}
