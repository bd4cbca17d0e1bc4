import type { Tallies } from '../../domain/reports/tallies.ts';
import { timestamp } from '../../domain/time.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** A campaign's tallies as a job counted them. */
export interface CountedReport extends Pick<Tallies, 'links' | 'hours' | 'latest' | 'truncated'> {
  /** When the count began: what came later may be missing. */
  counted_at: string;
}

/** Whoever asks for a count again after this starts another: the job was lost. */
const lostMs = 15 * 60_000;

/** The last count; undefined when there is none. */
export async function find(teamId: number, campaignId: number): Promise<CountedReport | undefined> {
  const item = await table.get<Partial<CountedReport>>(keys.countedReport(teamId, campaignId));
  return item?.counted_at === undefined ? undefined : (item as CountedReport);
}

/** Notes that a count is to be made; false when one is on its way. */
export function ask(teamId: number, campaignId: number): Promise<boolean> {
  return table.writeIf({
    Key: keys.countedReport(teamId, campaignId),
    UpdateExpression: 'SET asked_at = :now',
    ConditionExpression: 'attribute_not_exists(asked_at) OR asked_at < :lost',
    ExpressionAttributeValues: { ':now': timestamp(), ':lost': timestamp(Date.now() - lostMs) },
  });
}

/** Stores what was counted, in the place of the last one. */
export async function store(teamId: number, campaignId: number, counted: CountedReport): Promise<void> {
  await table.put({ Item: { ...keys.countedReport(teamId, campaignId), ...counted } });
}
