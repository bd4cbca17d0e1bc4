import { timestamp } from '../aws/clock.ts';
import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import { noteDay, queuedEvents } from '../data/events.ts';
import { keys } from '../data/keys.ts';
import { leafItem, pageSize, type Recipient } from '../data/recipients.ts';
import * as table from '../data/table.ts';
import { takeEmails } from '../data/usage.ts';
import { audience } from './audience.ts';

/** Leaves written with the cursor in one transaction. */
const leavesPerWrite = 20;

/**
 * Writes the audience into recipient pages until it is whole or the time is up; says whether it is whole.
 * Pages and cursor move in one transaction under the cursor's old value, so a second freezer, or one that died, cannot put anybody on two pages.
 */
export async function freezeAudience(teamId: number, campaign: CampaignItem, deadline: number): Promise<boolean> {
  let cursor = campaign.freeze;
  let waiting: Recipient[] = [];
  const write = async (recipients: Recipient[], after: string): Promise<boolean> => {
    const moved = await writeLeaves(teamId, campaign.id, cursor, recipients, after);
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

type Cursor = NonNullable<CampaignItem['freeze']>;

/** Writes leaves and moves the cursor to `after`, the last address looked at; undefined when the cursor was not where it was seen. */
async function writeLeaves(
  teamId: number,
  id: number,
  from: Cursor | undefined,
  recipients: Recipient[],
  after: string,
): Promise<Cursor | undefined> {
  const { pages, recipients: before } = from ?? { pages: 0, recipients: 0 };
  const leaves = Array.from({ length: Math.ceil(recipients.length / pageSize) }, (_, index) =>
    leafItem(teamId, id, pages + index, recipients.slice(index * pageSize, (index + 1) * pageSize)),
  );
  const freeze: Cursor = { after, pages: pages + leaves.length, recipients: before + recipients.length };
  const written = await table.transactIf([
    ...leaves.map((Item) => ({ Put: { Item } })),
    { Update: { Key: keys.campaign(teamId, id), ...campaigns.conditional(['queuing'], { freeze }, { freeze: from }) } },
  ]);
  return written ? freeze : undefined;
}

/** Takes the emails from the allowance and opens the campaign for sending, together; without the allowance the campaign fails and says so. */
async function complete(teamId: number, campaign: CampaignItem, cursor: Cursor | undefined): Promise<boolean> {
  const at = timestamp();
  if (!cursor || cursor.recipients === 0) {
    await campaigns.move(teamId, campaign.id, 'fail', { failure_reason: 'audience_empty' });
    return true;
  }
  await noteDay(teamId, at);
  const frozen = {
    freeze: undefined,
    frozen_at: at,
    frozen_pages: cursor.pages,
    total_recipients: cursor.recipients,
    sent_at: at,
    progress: { accounted: 0, at },
  };
  const refused = await table.refusals([
    takeEmails(teamId, campaign.launched_by!.plan, cursor.recipients),
    { Put: { Item: queuedEvents(teamId, campaign.id, at) } },
    {
      Update: {
        Key: keys.campaign(teamId, campaign.id),
        ...campaigns.moving('freeze', frozen, { freeze: cursor }),
      },
    },
  ]);
  const allowanceRefused = refused.length === 1 && refused[0] === 0;
  if (allowanceRefused)
    await campaigns.move(teamId, campaign.id, 'fail', { failure_reason: 'plan_allowance_exceeded' });
  return true;
}
