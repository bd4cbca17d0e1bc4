import { NotFound, ValidationError } from '../../domain/errors.ts';
import { type Fields, type Stored, viewOf } from '../../domain/record.ts';
import { timestamp } from '../../domain/time.ts';
import type { DueJob } from '../due-jobs.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';

/** The fields of a tag that the API shows. */
export const tagFields = {
  id: { kind: 'id' },
  name: { kind: 'text' },
  contacts_count: { kind: 'count' },
  created_at: { kind: 'time' },
  updated_at: { kind: 'time' },
} as const satisfies Fields;

/** A tag; another row reserves its name (keys.tagName), and `contacts_count` counts its live contacts. */
export type TagItem = Key & Stored<typeof tagFields>;

const nameTaken = () => new ValidationError({ name: ['there is already a tag with this name'] });

/** The reads of tags. */
export const { find, batch, list } = numbered<TagItem>(partitions.tags, keys.tag);

const claimName = (key: Key, id: number): table.TransactionWrite => ({
  Put: { Item: { ...key, id }, ConditionExpression: 'attribute_not_exists(pk)' },
});

/** Stores a new tag, idempotent for the same id; throws 422 when its name is taken. */
export async function create(teamId: number, id: number, name: string): Promise<TagItem> {
  const at = timestamp();
  const item: TagItem = { ...keys.tag(teamId, id), id, name, contacts_count: 0, created_at: at, updated_at: at };
  const created = await table.transactIf([
    claimName(keys.tagName(teamId, name), id),
    { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
  ]);
  if (created) return item;
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

/** Deletes a tag, frees its name and schedules `purge`, the job that cleans up its taggings. */
export async function remove(teamId: number, id: number, purge: DueJob): Promise<void> {
  const tag = await find(teamId, id);
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
    { Put: { Item: purge } },
  ]);
  if (!removed) await remove(teamId, id, purge);
}

/** The tag as the API shows it. */
export const view = viewOf(tagFields);
