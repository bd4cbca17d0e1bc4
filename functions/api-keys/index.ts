import { serve } from '../../shared/http/serve.ts';
import { createApiKey } from './create-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listScopes } from './list-scopes.ts';
import { revokeApiKey } from './revoke-api-key.ts';

export const endpoints = { listApiKeys, createApiKey, listScopes, revokeApiKey };
export const handler = serve(endpoints);
