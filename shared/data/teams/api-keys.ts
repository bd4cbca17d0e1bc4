import type { Actor } from '../../domain/actor.ts';
import type { KeyRights } from '../../domain/teams/key-rights.ts';
import type { Plan } from '../../domain/teams/plans.ts';
import { scopes as allScopes } from '../../domain/teams/scopes.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, padId, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';
import { auditWrite } from './audit-log.ts';

/** A key as it is stored, under its secret's hash; it has the team's name and plan, so that one read authenticates. */
export interface ApiKeyItem extends Key, KeyRights {
  gsi1pk: string;
  gsi1sk: string;
  team_id: number;
  team_name: string;
  plan: Plan;
  name: string;
  masked_key: string;
  created_at: string;
  /** When and from which address it was used: the first time in the last minute in which it was. */
  last_used_at?: string;
  last_used_ip?: string;
}

/** Reads the key that hashes to `hash`; undefined when there is none. */
export function findByHash(hash: string): Promise<ApiKeyItem | undefined> {
  return table.get<ApiKeyItem>(keys.apiKey(hash));
}

/** The team's keys, newest first. */
export function list(teamId: number): Source<ApiKeyItem> {
  return idSource<ApiKeyItem>(partitions.apiKeys(teamId), 'gsi1');
}

/** Reads one key by id; undefined when it is not the team's. */
export async function find(teamId: number, id: number): Promise<ApiKeyItem | undefined> {
  const { items } = await table.query<ApiKeyItem>({
    ...table.within(partitions.apiKeys(teamId), { index: 'gsi1', between: [padId(id), padId(id)] }),
  });
  const [found] = items;
  return found && table.get<ApiKeyItem>({ pk: found.pk, sk: found.sk });
}

/** The revocation of a key by an actor, as writes; refused for one that is revoked. */
export const revocation = (teamId: number, { pk, sk, id, name }: ApiKeyItem, by: Actor): table.TransactionWrite[] => [
  {
    Update: {
      Key: { pk, sk },
      UpdateExpression: 'SET revoked_at = :now',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revoked_at)',
      ExpressionAttributeValues: { ':now': timestamp() },
    },
  },
  auditWrite(teamId, by, 'api_key.revoked', id, { before: { name } }),
];

/** Revokes a key; a key that was revoked before keeps its time. */
export async function revoke(teamId: number, item: ApiKeyItem, by: Actor): Promise<void> {
  await table.transactIf(revocation(teamId, item, by));
}

/** Records that a key was used, and from which address. */
export async function touch(item: ApiKeyItem, address: string): Promise<void> {
  await table.writeIf({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET last_used_at = :now, last_used_ip = :address',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': timestamp(), ':address': address },
  });
}

/** Copies a team's new plan to all its keys. */
export async function setPlan(teamId: number, plan: Plan): Promise<void> {
  const rows = table.queryAll<Key>(table.within(partitions.apiKeys(teamId), { index: 'gsi1' }));
  for await (const { pk, sk } of rows)
    await table.update({
      Key: { pk, sk },
      UpdateExpression: 'SET #plan = :plan',
      ExpressionAttributeValues: { ':plan': plan },
    });
}

/** The key as the API shows it: never its secret; a legacy key shows every scope, since it holds them. */
export const view = (item: ApiKeyItem) => ({
  id: item.id,
  name: item.name,
  masked_key: item.masked_key,
  scopes: [...(item.scopes ?? allScopes)],
  allowed_ips: item.allowed_ips ? [...item.allowed_ips] : null,
  last_used_at: item.last_used_at ?? null,
  last_used_ip: item.last_used_ip ?? null,
  expires_at: item.expires_at ?? null,
  revoked_at: item.revoked_at ?? null,
});
