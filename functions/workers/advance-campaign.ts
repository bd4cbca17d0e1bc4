import type { QueryOutcome } from '../../shared/domain/campaigns/warehouse.ts';
import { advance, type Next } from '../../shared/flows/campaigns/advance.ts';
import { noteQuery } from '../../shared/flows/campaigns/import-audience.ts';
import { task } from '../../shared/workers/task.ts';

interface Input {
  team_id: number;
  campaign_id: number;
  run: number;
  /** The result of the query that the step before asked for. */
  query?: QueryOutcome;
}

/** The campaign workflow's step: does the next piece of a campaign's work. */
export const handler = task<Input, Next>({
  failure: 'campaign not advanced',
  marginMs: 20_000,
  async handle({ team_id, campaign_id, run, query }, deadline) {
    if (query) await noteQuery(team_id, campaign_id, query);
    return advance(team_id, campaign_id, run, deadline);
  },
});
