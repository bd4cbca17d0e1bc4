import * as z from 'zod';
import type { ApiKeyItem } from '../../shared/data/teams/api-keys.ts';
import { scopes as allScopes } from '../../shared/domain/teams/scopes.ts';
import { id, scope, time } from '../../shared/http/schemas.ts';

/** A key in a response: a masked prefix, never the secret. */
export const apiKey = z
  .object({
    id,
    name: z.string(),
    masked_key: z.string(),
    scopes: z.array(scope),
    last_used_at: time.nullable(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'ApiKey' });

/** The key as the API shows it; a legacy key shows every scope, since it holds them. */
export const apiKeyView = (item: ApiKeyItem) => ({
  id: item.id,
  name: item.name,
  masked_key: item.masked_key,
  scopes: item.scopes ?? allScopes,
  last_used_at: item.last_used_at ?? null,
  expires_at: item.expires_at ?? null,
  revoked_at: item.revoked_at ?? null,
});
