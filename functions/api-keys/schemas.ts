import * as z from 'zod';
import { id, scope, time } from '../../shared/http/schemas.ts';

const range = z.string().meta({ example: '192.0.2.0/24' });

/** A key in a response: a masked prefix, never the secret. */
export const apiKey = z
  .object({
    id,
    name: z.string(),
    masked_key: z.string(),
    scopes: z.array(scope),
    allowed_ips: z.array(range).nullable().describe('Where it may be used from; null: anywhere'),
    last_used_at: time.nullable(),
    last_used_ip: z.string().nullable().describe('The address that it was used from at last_used_at'),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'ApiKey' });

const notARange = 'a range of IPv4 or IPv6 addresses such as 192.0.2.0/24 or 2001:db8::/32, or one address';

/** Ranges of addresses in a body. */
export const ranges = z
  .array(z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], notARange).meta({ type: 'string', format: 'cidr' }))
  .min(1, 'name at least one range, or leave allowed_ips out')
  .max(50, 'at most 50 ranges')
  .transform((given) => [...new Set(given)]);
