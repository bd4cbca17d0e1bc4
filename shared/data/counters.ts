import { keys } from './keys.ts';
import * as table from './table.ts';

/** The kinds of records that number themselves within a team. */
export type Counted =
  | 'contact'
  | 'list'
  | 'tag'
  | 'segment'
  | 'campaign'
  | 'template'
  | 'suppression'
  | 'api_key'
  | 'webhook'
  | 'polish'
  | 'subject_test'
  | 'deliverability_check'
  | 'waitlist'
  | 'waitlist_signup'
  | 'sequence';

/** Takes `size` ids at once and returns the first of them. */
export async function takeIds(teamId: number, kind: Counted, size = 1): Promise<number> {
  const item = await table.update<{ last: number }>({
    Key: keys.counter(teamId, kind),
    UpdateExpression: 'ADD #last :size',
    ExpressionAttributeValues: { ':size': size },
    ReturnValues: 'UPDATED_NEW',
  });
  return item!.last - size + 1;
}

/** The last id of a kind that was given; there are at most so many records of it. */
export async function lastId(teamId: number, kind: Counted): Promise<number> {
  return (await table.get<{ last: number }>(keys.counter(teamId, kind)))?.last ?? 0;
}
