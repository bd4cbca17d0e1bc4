import { hashApiKey, maskApiKey } from '../../domain/teams/api-key.ts';
import type { Plan } from '../../domain/teams/plans.ts';
import type { Scope } from '../../domain/teams/scopes.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, padId, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';

/** A key as it is stored, under its secret's hash; it has the team's name and plan, so that one read authenticates. */
export interface ApiKeyItem extends Key {
  gsi1pk: string;
  gsi1sk: string;
  id: number;
  team_id: number;
  team_name: string;
  plan: Plan;
  name: string;
  masked_key: string;
  /** Absent for a legacy key, which holds every scope. */
  scopes?: Scope[];
  created_at: string;
  last_used_at?: string;
  expires_at?: string;
  revoked_at?: string;
}

/** Reads the key that hashes to `hash`; undefined when there is none. */
export function findByHash(hash: string): Promise<ApiKeyItem | undefined> {
  return table.get<ApiKeyItem>(keys.apiKey(hash));
}

/** Stores a new key; idempotent for the same secret. */
export async function create(
  teamId: number,
  input: Pick<ApiKeyItem, 'id' | 'team_name' | 'plan' | 'name' | 'scopes' | 'expires_at'> & { secret: string },
): Promise<ApiKeyItem> {
  const { secret, ...given } = input;
  const item: ApiKeyItem = {
    ...keys.apiKey(hashApiKey(secret)),
    gsi1pk: partitions.apiKeys(teamId),
    gsi1sk: padId(input.id),
    ...given,
    team_id: teamId,
    masked_key: maskApiKey(secret),
    created_at: timestamp(),
  };
  await table.putNew(item);
  return item;
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

/** Revokes a key; a key that was revoked before keeps its time. */
export async function revoke(item: ApiKeyItem): Promise<void> {
  await table.update({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :now)',
    ExpressionAttributeValues: { ':now': timestamp() },
  });
}

/** Records that a key was used. */
export async function touch(item: ApiKeyItem): Promise<void> {
  await table.writeIf({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET last_used_at = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': timestamp() },
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
