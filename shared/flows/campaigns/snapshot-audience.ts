import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import { pageSize, type Recipient } from '../../data/campaigns/recipients.ts';
import * as sends from '../../data/campaigns/sends.ts';
import { noteDay } from '../../data/events/rows.ts';
import * as teams from '../../data/teams/teams.ts';
import { timestamp } from '../../domain/time.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { audience } from './audience.ts';
import { failQueuing, openingOutboxEvents } from './publish-status.ts';

/** Leaves written with the cursor in one transaction. */
const leavesPerWrite = 20;

/**
 * Writes the audience into recipient pages until it is whole or the time is up; says whether it is whole.
 * Pages and cursor move in one transaction under the cursor's old value, so a second freezer, or one that died, cannot put anybody on two pages.
 */
export async function snapshotAudience(teamId: number, campaign: CampaignItem, deadline: number): Promise<boolean> {
  let cursor = campaign.freeze;
  let waiting: Recipient[] = [];
  const write = async (recipients: Recipient[], after: string): Promise<boolean> => {
    const moved = await sends.addPages(teamId, campaign, cursor, recipients, after);
    if (moved) cursor = moved;
    return moved !== undefined;
  };
  for await (const { recipients, reached } of audience(teamId, campaign, cursor?.after)) {
    waiting.push(...recipients);
    while (waiting.length >= leavesPerWrite * pageSize) {
      const full = waiting.slice(0, leavesPerWrite * pageSize);
      if (!(await write(full, full.at(-1)!.email))) return false;
      waiting = waiting.slice(leavesPerWrite * pageSize);
    }
    if (Date.now() > deadline) {
      await write(waiting, reached);
      return false;
    }
  }
  if (waiting.length > 0 && !(await write(waiting, waiting.at(-1)!.email))) return false;
  return complete(teamId, campaign, cursor);
}

/** Takes the emails from the allowance of the team's plan and opens the campaign for sending, together; without the allowance the campaign fails and says so. */
async function complete(
  teamId: number,
  campaign: CampaignItem,
  cursor: sends.SnapshotCursor | undefined,
): Promise<boolean> {
  const at = timestamp();
  if (!cursor || cursor.recipients === 0) {
    await failQueuing(teamId, campaign.id, 'audience_empty');
    return true;
  }
  const [team] = await Promise.all([teams.find(teamId), noteDay(teamId, at)]);
  const outbox = openingOutboxEvents(teamId, campaign.id, at);
  const opened = await sends.open(teamId, team!.plan, campaign, cursor, at, outbox);
  if (opened === 'opened') await publishDomainEvents([outbox.queued, outbox.sending]);
  if (opened === 'opened_paused') await publishDomainEvents([outbox.queued]);
  if (opened === 'over_allowance') await failQueuing(teamId, campaign.id, 'plan_allowance_exceeded');
  return true;
}
