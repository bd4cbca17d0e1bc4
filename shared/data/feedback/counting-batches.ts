import { randomUUID } from 'node:crypto';
import { timestamp } from '../../domain/time.ts';
import { countingPrefix, type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** The mark of a batch that is being counted. */
export type Mark = Key;

const clearedAtOnce = 50;

/** Marks a batch of feedback that is going to be counted; the mark stays where it is not known what was counted. */
export async function begin(teamId: number, campaignId: number): Promise<Mark> {
  const mark = keys.countingBatch(teamId, campaignId, timestamp(), randomUUID());
  await table.put({ Item: mark });
  return mark;
}

async function olderThan(teamId: number, campaignId: number, before: string, Limit: number): Promise<Mark[]> {
  const range = table.within(partitions.campaign(teamId, campaignId), {
    between: [countingPrefix, countingPrefix + before],
  });
  return (await table.query<Mark>({ ...range, ConsistentRead: true, Limit })).items;
}

/** Whether a batch that began before a time has left its mark. */
export const someLeft = async (teamId: number, campaignId: number, before: string): Promise<boolean> =>
  (await olderThan(teamId, campaignId, before, 1)).length > 0;

/** Removes the mark of a batch that is counted. */
export const end = ({ pk, sk }: Mark): Promise<void> => table.remove({ Key: { pk, sk } });

/** Removes the marks of batches that began before a time. */
export async function clear(teamId: number, campaignId: number, before: string): Promise<void> {
  for (;;) {
    const marks = await olderThan(teamId, campaignId, before, clearedAtOnce);
    if (marks.length === 0) return;
    await Promise.all(marks.map(end));
  }
}
