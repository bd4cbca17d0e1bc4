import { type Actor, storedActor } from '../../domain/actor.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { hashApiKey, maskApiKey } from '../../domain/teams/api-key.ts';
import { descends, expiryNoticeMs } from '../../domain/teams/key-rights.ts';
import { timestamp } from '../../domain/time.ts';
import { dueJob, finish, jobWrite } from '../due-jobs.ts';
import { keys, padId, partitions } from '../keys.ts';
import * as table from '../table.ts';
import { type ApiKeyItem, revocation, revoke } from './api-keys.ts';
import { auditWrite } from './audit-log.ts';
import { activeKeys, type Refusal, register } from './key-registry.ts';

/** What is given of a new key. */
export type NewApiKey = Pick<
  ApiKeyItem,
  'id' | 'team_name' | 'plan' | 'name' | 'scopes' | 'expires_at' | 'allowed_ips'
> & { secret: string };

/** Stores a new key that an operator makes; idempotent for the same secret. */
export async function create(teamId: number, by: Actor, input: NewApiKey): Promise<ApiKeyItem> {
  return (await store(teamId, by, input)) as ApiKeyItem;
}

/** Stores a new key that another one mints; idempotent for the same secret. */
export function mint(teamId: number, minter: ApiKeyItem, by: Actor, input: NewApiKey): Promise<ApiKeyItem | Refusal> {
  return store(teamId, by, input, minter);
}

function store(teamId: number, by: Actor, input: NewApiKey, minter?: ApiKeyItem): Promise<ApiKeyItem | Refusal> {
  const { secret, ...given } = input;
  const hash = hashApiKey(secret);
  const item: ApiKeyItem = {
    ...keys.apiKey(hash),
    gsi1pk: partitions.apiKeys(teamId),
    gsi1sk: padId(input.id),
    ...given,
    ...(minter && { lineage: [...(minter.lineage ?? []), minter.id] }),
    team_id: teamId,
    masked_key: maskApiKey(secret),
    created_at: timestamp(),
  };
  const { name, scopes = 'all', expires_at, allowed_ips } = item;
  const row = auditWrite(teamId, by, 'api_key.created', item.id, { after: { name, scopes, expires_at, allowed_ips } });
  return register(teamId, item, minter, [row, ...noticeOfExpiry(teamId, item, hash)]);
}

/** The job that tells of a key's expiry, as a write; none for a key that expires sooner than that. */
function noticeOfExpiry(teamId: number, { id, expires_at }: ApiKeyItem, hash: string): table.TransactionWrite[] {
  const at = expires_at === undefined ? 0 : Date.parse(expires_at) - expiryNoticeMs;
  if (at <= Date.now()) return [];
  return [jobWrite(dueJob({ kind: 'expiry', team_id: teamId, key_id: id, hash }, new Date(at)))];
}

/** Revokes a key and all that descend from it; a job completes what a crash leaves. */
export async function revokeFamily(teamId: number, item: ApiKeyItem, by: Actor): Promise<void> {
  const job = dueJob({ kind: 'revoke', team_id: teamId, key_id: item.id, by: storedActor(by) });
  // One that is revoked may have descendants that are not.
  if (!(await table.transactIf([...revocation(teamId, item, by), jobWrite(job)])))
    await table.transact([jobWrite(job)]);
  await revokeDescendants(teamId, item.id, by);
  await finish(job);
}

/** Revokes the active keys that descend from a revoked key, until they have minted no more; at most some hundred. */
export async function revokeDescendants(teamId: number, id: number, by: Actor): Promise<undefined> {
  for (;;) {
    const left = (await activeKeys(teamId)).filter((key) => descends(key, id));
    if (left.length === 0) return undefined;
    await concurrently(left, 10, (key) => revoke(teamId, key, by));
  }
}
