import { NotFound, ValidationError } from '../../domain/errors.ts';
import { type Fields, type Stored, viewOf } from '../../domain/record.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';
import { close, counted, countWrites } from './member-counts.ts';

/** The fields of a tag that the API shows. */
export const tagFields = {
  id: { kind: 'id' },
  name: { kind: 'text' },
  contacts_count: { kind: 'count' },
  created_at: { kind: 'time' },
  updated_at: { kind: 'time' },
} as const satisfies Fields;

/** A tag; another row reserves its name (keys.tagName). `contacts_count` is as in a list (lists.ts). */
export type TagItem = Key & Stored<typeof tagFields>;

const nameTaken = () => new ValidationError({ name: ['there is already a tag with this name'] });

/** The reads of tags without their counts, which cost less. */
export const uncounted = numbered<TagItem>(partitions.tags, keys.tag);

/** The reads of tags, with how many live contacts each has. */
export const { find, batch, list } = counted('tag', uncounted);

const claimName = (key: Key, id: number): table.TransactionWrite => ({
  Put: { Item: { ...key, id }, ConditionExpression: 'attribute_not_exists(pk)' },
});

/** Stores a new tag, idempotent for the same id; throws 422 when its name is taken. */
export async function create(teamId: number, id: number, name: string): Promise<TagItem> {
  const at = timestamp();
  const item: TagItem = { ...keys.tag(teamId, id), id, name, contacts_count: 0, created_at: at, updated_at: at };
  const refused = await table.refusals([
    // Refused for a tag that was created before, and has been deleted since.
    ...countWrites(teamId, [{ what: 'tag', id, delta: 0 }]),
    claimName(keys.tagName(teamId, name), id),
    { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
  ]);
  if (refused.length === 0 || refused.includes(0)) return item;
  const existing = await find(teamId, id);
  if (existing?.name !== name) throw nameTaken();
  return existing;
}

/** Renames a tag; throws 422 when the name is taken, 404 when the tag is gone. */
export async function rename(teamId: number, before: TagItem, name: string): Promise<TagItem> {
  const after = { ...before, name, updated_at: timestamp() };
  const [from, to] = [keys.tagName(teamId, before.name), keys.tagName(teamId, name)];
  const renamed = await table.transactIf([
    {
      Update: {
        Key: keys.tag(teamId, before.id),
        UpdateExpression: 'SET #name = :name, updated_at = :now',
        ConditionExpression: '#name = :before',
        ExpressionAttributeValues: { ':name': name, ':now': after.updated_at, ':before': before.name },
      },
    },
    ...(from.sk === to.sk ? [] : [claimName(to, before.id), { Delete: { Key: from } }]),
  ]);
  if (renamed) return after;
  const current = await find(teamId, before.id);
  if (!current) throw new NotFound('tag');
  if (current.name === before.name) throw nameTaken();
  return rename(teamId, current, name);
}

/** Deletes a tag, which gets no more taggings then, and frees its name; in the same order as a list (lists.ts). */
export async function remove(teamId: number, id: number): Promise<void> {
  await removeRows(teamId, id);
  await close(teamId, 'tag', id);
  await removeRows(teamId, id);
}

async function removeRows(teamId: number, id: number): Promise<void> {
  const tag = await uncounted.find(teamId, id);
  if (!tag) return;
  const removed = await table.transactIf([
    {
      Delete: {
        Key: keys.tag(teamId, id),
        ConditionExpression: '#name = :name',
        ExpressionAttributeValues: { ':name': tag.name },
      },
    },
    { Delete: { Key: keys.tagName(teamId, tag.name) } },
  ]);
  if (!removed) await removeRows(teamId, id);
}

/** The tag as the API shows it. */
export const view = viewOf(tagFields);
