import { type OptInMode, optInModes } from '../../domain/contacts/opt-in.ts';
import { NotApplicable } from '../../domain/errors.ts';
import { type Fields, type Stored, viewOf } from '../../domain/record.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';
import { behind, type ContactItem, members as memberRows } from './contacts.ts';
import { close, counted, countWrites, withCounts } from './member-counts.ts';

/** The fields of a list that the API shows. */
export const listFields = {
  id: { kind: 'id' },
  name: { kind: 'text' },
  description: { kind: 'text', optional: true },
  is_default: { kind: 'flag' },
  opt_in_mode: { oneOf: optInModes },
  contacts_count: { kind: 'count' },
} as const satisfies Fields;

/** A contact list; where it is stored, `contacts_count` is what earlier versions counted (member-counts.ts). */
export interface ListItem extends Key, Stored<typeof listFields> {
  created_at: string;
  updated_at: string;
}

/** What a request may write of a list; `null` clears the description. */
interface ListInput {
  name: string;
  description?: string | null;
  opt_in_mode?: OptInMode;
}

const defaultListId = 1;

/** The reads of lists without their counts, which cost less. */
export const uncounted = numbered<ListItem>(partitions.lists, keys.list);

/** The reads of lists, with how many live members each has. */
export const { find, batch, list } = counted('list', uncounted);

/** The live contacts of a list, by email. */
export function members(teamId: number, listId: number): Source<ContactItem> {
  return behind(teamId, memberRows(teamId, { by: 'list', id: listId }));
}

function newList(teamId: number, id: number, input: ListInput, isDefault: boolean): ListItem {
  const at = timestamp();
  return {
    ...keys.list(teamId, id),
    id,
    name: input.name,
    description: input.description ?? undefined,
    is_default: isDefault,
    opt_in_mode: input.opt_in_mode ?? 'single',
    contacts_count: 0,
    created_at: at,
    updated_at: at,
  };
}

/** Stores a new list; idempotent for the same id. */
export async function create(teamId: number, id: number, input: ListInput): Promise<ListItem> {
  const item = newList(teamId, id, input, false);
  const created = await table.transactIf([
    { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
    // Refused for a list that was created before, and has been deleted since.
    ...countWrites(teamId, [{ what: 'list', id, delta: 0 }]),
  ]);
  return created ? item : ((await find(teamId, id)) ?? item);
}

/** Creates a team's default list, "All contacts", unless it exists. */
export async function createDefault(teamId: number): Promise<void> {
  await table.transactIf([
    {
      Put: {
        Item: newList(teamId, defaultListId, { name: 'All contacts' }, true),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    {
      Update: {
        Key: keys.counter(teamId, 'list'),
        UpdateExpression: 'ADD #last :default',
        ExpressionAttributeValues: { ':default': defaultListId },
      },
    },
  ]);
}

/** Writes the given fields of a list; undefined when it is not the team's. */
export async function update(teamId: number, before: ListItem, input: ListInput): Promise<ListItem | undefined> {
  const after: ListItem = {
    ...before,
    name: input.name,
    description: input.description === undefined ? before.description : (input.description ?? undefined),
    opt_in_mode: input.opt_in_mode ?? before.opt_in_mode,
    updated_at: timestamp(),
  };
  const updated = await table.updateIf<ListItem>({
    Key: keys.list(teamId, before.id),
    ...table.changes({ ...before, updated_at: undefined }, after, 'attribute_exists(pk)'),
  });
  return updated && (await withCounts(teamId, 'list', [updated]))[0];
}

/** Throws 422 for the default list. */
export function expectRemovable(id: number): void {
  if (id === defaultListId) throw new NotApplicable('The default list cannot be deleted.');
}

/** Deletes a list, which gets no more members then; a repetition after a crash completes it. */
export async function remove(teamId: number, id: number): Promise<void> {
  const removeRow = () => table.remove({ Key: keys.list(teamId, id) });
  // First, so that whoever is refused a membership sees why; last, as a repeated creation may have stored it meanwhile.
  await removeRow();
  await close(teamId, 'list', id);
  await removeRow();
}

/** The list as the API shows it. */
export const view = viewOf(listFields);
