import { type Key, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** A kind of record that contacts are members of. */
export type Membership = 'list' | 'tag';

/** Addresses of up to `limit` contacts of a list or tag, in order, after an address; `next` is undefined at the end. */
export async function emailsOf(
  teamId: number,
  what: Membership,
  id: number,
  { after = ' ', limit }: { after?: string; limit: number },
): Promise<{ emails: string[]; next: string | undefined }> {
  const { items, next } = await table.query<Key>({
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    ExpressionAttributeValues: { ':pk': partitions[what](teamId, id), ':after': after },
    ConsistentRead: true,
    Limit: limit,
  });
  return { emails: items.map(({ sk }) => sk), next: next && (next.sk as string) };
}
