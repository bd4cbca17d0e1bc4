import { isActive, maxActiveKeys } from '../../domain/teams/key-rights.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';
import { changeVersioned, type Decision } from '../versioned.ts';
import type { ApiKeyItem } from './api-keys.ts';

/** Where every active key of a team is stored; exact, where the index of keys lags behind. */
interface RegistryItem extends Key {
  version: number;
  active: Key[];
}

/** Why a key is not made: the team has as many as it may, or the key that mints it is revoked. */
export type Refusal = 'full' | 'revoked';

/** Keys of an earlier version, newest first, among which the registry begins with those that are active. */
const readOfBefore = 1_000;

async function registryOf(teamId: number): Promise<RegistryItem> {
  const key = keys.apiKeyRegistry(teamId);
  const found = await table.get<RegistryItem>(key);
  if (found) return found;
  await table.putNew({ ...key, version: 0, active: await activeBefore(teamId) });
  return (await table.get<RegistryItem>(key))!;
}

async function activeBefore(teamId: number): Promise<Key[]> {
  const found: Key[] = [];
  let read = 0;
  for await (const { item } of idSource<ApiKeyItem>(partitions.apiKeys(teamId), 'gsi1')('forward', undefined, 100)) {
    if (isActive(item)) found.push({ pk: item.pk, sk: item.sk });
    if (found.length === maxActiveKeys || ++read === readOfBefore) break;
  }
  return found;
}

async function activeIn({ active }: RegistryItem): Promise<ApiKeyItem[]> {
  const items = await table.batchGet<ApiKeyItem>(active);
  return items.flatMap((item) => (item && isActive(item) ? item : []));
}

/** The team's active keys, in consistent reads. */
export const activeKeys = async (teamId: number): Promise<ApiKeyItem[]> => activeIn(await registryOf(teamId));

/** Stores a new key with other writes, and returns it; only a key that has a `minter` is refused. */
export async function register(
  teamId: number,
  item: ApiKeyItem,
  minter: Key | undefined,
  writes: table.TransactionWrite[],
): Promise<ApiKeyItem | Refusal> {
  const put = { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } };
  const unrevoked = (Key: Key) => ({ Key, ConditionExpression: 'attribute_not_exists(revoked_at)' });
  const check = minter && { ConditionCheck: unrevoked({ pk: minter.pk, sk: minter.sk }) };
  type Outcome = Decision<RegistryItem, ApiKeyItem | Refusal>;
  const decide = async (before: RegistryItem): Promise<Outcome> => {
    const [known, stored, by] = await Promise.all([
      activeIn(before),
      table.get<ApiKeyItem>({ pk: item.pk, sk: item.sk }),
      minter && table.get<ApiKeyItem>({ pk: minter.pk, sk: minter.sk }),
    ]);
    if (stored) return { result: stored };
    if (by?.revoked_at) return { result: 'revoked' };
    if (by && known.length >= maxActiveKeys) return { result: 'full' };
    const active = [...known, item].map(({ pk, sk }) => ({ pk, sk }));
    return { result: item, after: { ...before, active }, writes: [put, ...(check ? [check] : []), ...writes] };
  };
  return (await changeVersioned('list of API keys', () => registryOf(teamId), decide))!;
}
