import type { Context } from 'aws-lambda';
import type { QueryOutcome } from '../../shared/domain/campaigns/warehouse.ts';
import { advance, type Next } from '../../shared/flows/campaigns/advance.ts';
import { noteQuery } from '../../shared/flows/campaigns/import-audience.ts';

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
