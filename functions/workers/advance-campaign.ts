import type { Context } from 'aws-lambda';
import type { QueryOutcome } from '../../shared/domain/warehouse.ts';
import { advance, type Next } from '../../shared/flows/advance-campaign.ts';
import { noteQuery } from '../../shared/flows/import-audience.ts';

/** Work stops this long before the function's own time is up. */
const marginMs = 20_000;

/** The workflow's task: does the next piece of a campaign's work, with what came of the query that it had asked for. */
export async function handler(
  event: { team_id: number; campaign_id: number; run: number; query?: QueryOutcome },
  context: Context,
): Promise<Next> {
  const { team_id, campaign_id, run, query } = event;
  if (query) await noteQuery(team_id, campaign_id, query);
  return advance(team_id, campaign_id, run, Date.now() + context.getRemainingTimeInMillis() - marginMs);
}
