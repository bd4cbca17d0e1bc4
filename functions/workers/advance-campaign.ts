import type { Context } from 'aws-lambda';
import { advance, type Next } from '../../shared/flows/advance-campaign.ts';

/** Work stops this long before the function's own time is up. */
const marginMs = 20_000;

/** The workflow's task: does the next piece of a campaign's work. */
export function handler(event: { team_id: number; campaign_id: number; run: number }, context: Context): Promise<Next> {
  return advance(
    event.team_id,
    event.campaign_id,
    event.run,
    Date.now() + context.getRemainingTimeInMillis() - marginMs,
  );
}
