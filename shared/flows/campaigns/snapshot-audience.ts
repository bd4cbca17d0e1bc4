import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import type { Recipient } from '../../data/campaigns/recipients.ts';
import * as sends from '../../data/campaigns/sends.ts';
import { noteDay } from '../../data/events/rows.ts';
import * as teams from '../../data/teams/teams.ts';
import { pageSize } from '../../domain/events/place.ts';
import { timestamp } from '../../domain/time.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { audience } from './audience.ts';
import { failQueuing, openingOutboxEvents } from './publish-status.ts';

/** Recipients on the pages that one transaction writes. */
const perWrite = 20 * pageSize;

/**
 * Writes the audience into recipient pages until it is complete or the deadline has passed. Pages and cursor change in
 * one transaction: a second worker, or one that died, cannot put a recipient on two pages.
 */
export async function snapshotAudience(teamId: number, campaign: CampaignItem, deadline: number): Promise<void> {
  let cursor = campaign.freeze;
  let unwritten: Recipient[] = [];
  const write = async (recipients: Recipient[], after: string): Promise<boolean> => {
    const moved = await sends.addPages(teamId, campaign, cursor, recipients, after);
    if (moved) cursor = moved;
    return moved !== undefined;
  };
  for await (const { recipients, reached } of audience(teamId, campaign, cursor?.after)) {
    unwritten.push(...recipients);
    while (unwritten.length >= perWrite) {
      const full = unwritten.slice(0, perWrite);
      if (!(await write(full, full.at(-1)!.email))) return;
      unwritten = unwritten.slice(perWrite);
    }
    if (Date.now() > deadline) {
      await write(unwritten, reached);
      return;
    }
  }
  if (unwritten.length > 0 && !(await write(unwritten, unwritten.at(-1)!.email))) return;
  await complete(teamId, campaign, cursor);
}

/** Opens the campaign for sending; fails it when the audience is empty or the plan's allowance does not cover it. */
async function complete(
  teamId: number,
  campaign: CampaignItem,
  cursor: sends.SnapshotCursor | undefined,
): Promise<void> {
  const at = timestamp();
  if (!cursor || cursor.recipients === 0) {
    await failQueuing(teamId, campaign.id, 'audience_empty');
    return;
  }
  const [team] = await Promise.all([teams.find(teamId), noteDay(teamId, at)]);
  const outbox = openingOutboxEvents(teamId, campaign.id, at);
  const opened = await sends.open(teamId, team!.plan, campaign, cursor, at, outbox);
  if (opened === 'opened') await publishDomainEvents([outbox.queued, outbox.sending]);
  if (opened === 'opened_paused') await publishDomainEvents([outbox.queued]);
  if (opened === 'over_allowance') await failQueuing(teamId, campaign.id, 'plan_allowance_exceeded');
}
