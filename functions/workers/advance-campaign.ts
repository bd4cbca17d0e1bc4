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

/**
 * The campaign workflow's step: does the next pieces of a campaign's work until it must wait or its time is up; a state
 * transition costs more than a piece.
 */
export const handler = task<Input, Next>({
  failure: 'campaign not advanced',
  marginMs: 20_000,
  async handle({ team_id, campaign_id, run, query }, deadline) {
    if (query) await noteQuery(team_id, campaign_id, query);
    for (;;) {
      const next = await advance(team_id, campaign_id, run, deadline);
      if (next.next !== 'continue' || Date.now() >= deadline) return next;
    }
  },
});
