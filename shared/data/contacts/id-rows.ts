import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** Contacts that are created together share a row of so many ids, which costs a tenth of a row for each. */
const idsPerRow = 50;

const rowOf = (id: number): number => Math.floor(id / idsPerRow);

interface Created {
  id: number;
  email: string;
}

/** How many rows find some contacts by id that one transaction creates. */
export const idRowCount = (ids: readonly number[]): number => new Set(ids.map(rowOf)).size;

/** The writes by which contacts that one transaction creates are found by id; refused for an id that is taken. */
export function idWrites(teamId: number, created: readonly Created[]): table.TransactionWrite[] {
  const [first, ...others] = created;
  if (!first) return [];
  // Requests that create one contact each must not wait for each other on a row.
  if (others.length === 0) {
    const Item = { ...keys.contactId(teamId, first.id), email: first.email };
    return [{ Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } }];
  }
  return [...Map.groupBy(created, ({ id }) => rowOf(id))].map(([row, some]) => ({
    Update: {
      Key: keys.contactIds(teamId, row),
      UpdateExpression: `SET ${some.map(({ id }) => `#${id} = :${id}`).join(', ')}`,
      ConditionExpression: some.map(({ id }) => `attribute_not_exists(#${id})`).join(' AND '),
      ExpressionAttributeValues: Object.fromEntries(some.map(({ id, email }) => [`:${id}`, email])),
    },
  }));
}

/** The write after which a contact is no longer found by its id. */
export async function idRemoval(teamId: number, id: number): Promise<table.TransactionWrite> {
  const shared = keys.contactIds(teamId, rowOf(id));
  if ((await table.get(shared))?.[id]) return { Update: { Key: shared, UpdateExpression: `REMOVE #${id}` } };
  const own = keys.contactId(teamId, id);
  return { Delete: { Key: (await table.get(own)) ? own : keys.contactIdUnsharded(teamId, id) } };
}

/** The emails behind contact ids, in their order; undefined for an unknown id. Includes soft-deleted contacts. */
export async function emailsOf(teamId: number, ids: readonly number[]): Promise<(string | undefined)[]> {
  const shared = await table.batchGet(ids.map((id) => keys.contactIds(teamId, rowOf(id))));
  const emails = new Map(ids.map((id, index) => [id, shared[index]?.[id] as string | undefined]));
  const missing = ids.filter((id) => emails.get(id) === undefined);
  const ways = [keys.contactId, keys.contactIdUnsharded];
  const own = await table.batchGet<Created>(missing.flatMap((id) => ways.map((way) => way(teamId, id))));
  for (const [index, id] of missing.entries()) emails.set(id, (own[2 * index] ?? own[2 * index + 1])?.email);
  return ids.map((id) => emails.get(id));
}
