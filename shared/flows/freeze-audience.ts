import { timestamp } from '../aws/clock.ts';
import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import { noteDay, queuedEvents } from '../data/events.ts';
import { keys } from '../data/keys.ts';
import { leafItem, pageSize, type Recipient } from '../data/recipients.ts';
import * as table from '../data/table.ts';
import { takeEmails } from '../data/usage.ts';
import type { Plan } from '../domain/plans.ts';
import { audience } from './audience.ts';

/** Leaves written with the cursor in one transaction. */
const leavesPerWrite = 20;

/**
 * Writes the audience into recipient pages until it is whole or the time is up; says whether it is whole.
 * Pages and cursor move in one transaction under the cursor's old value, so a second freezer, or one that died, cannot put anybody on two pages.
 */
export async function freezeAudience(teamId: number, campaign: CampaignItem, deadline: number): Promise<boolean> {
  let cursor = campaign.freeze ?? { after: '', pages: 0, recipients: 0 };
  let waiting: Recipient[] = [];
  const write = async (recipients: Recipient[]): Promise<boolean> => {
    if (recipients.length === 0) return true;
    const moved = await writeLeaves(teamId, campaign.id, cursor, recipients);
    if (moved) cursor = moved;
    return moved !== undefined;
  };
  for await (const { recipients } of audience(teamId, campaign, cursor.after || undefined)) {
    waiting.push(...recipients);
    while (waiting.length >= leavesPerWrite * pageSize) {
      if (!(await write(waiting.slice(0, leavesPerWrite * pageSize)))) return false;
      waiting = waiting.slice(leavesPerWrite * pageSize);
    }
    if (Date.now() > deadline) return false;
  }
  if (!(await write(waiting))) return false;
  return complete(teamId, campaign, cursor);
}

type Cursor = NonNullable<CampaignItem['freeze']>;

async function writeLeaves(
  teamId: number,
  id: number,
  from: Cursor,
  recipients: Recipient[],
): Promise<Cursor | undefined> {
  const leaves = Array.from({ length: Math.ceil(recipients.length / pageSize) }, (_, index) =>
    leafItem(teamId, id, from.pages + index, recipients.slice(index * pageSize, (index + 1) * pageSize)),
  );
  const to: Cursor = {
    after: recipients.at(-1)!.email,
    pages: from.pages + leaves.length,
    recipients: from.recipients + recipients.length,
  };
  const written = await table.transactIf([
    ...leaves.map((Item) => ({ Put: { Item } })),
    {
      Update: {
        Key: keys.campaign(teamId, id),
        UpdateExpression: 'SET freeze = :to',
        ConditionExpression: `#status = :queuing AND ${from.pages === 0 ? 'attribute_not_exists(freeze)' : 'freeze.pages = :pages'}`,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':to': to,
          ':queuing': 'queuing',
          ...(from.pages > 0 && { ':pages': from.pages }),
        },
      },
    },
  ]);
  return written ? to : undefined;
}

/** Takes the emails from the allowance and opens the campaign for sending, together; without the allowance the campaign fails and says so. */
async function complete(teamId: number, campaign: CampaignItem, cursor: Cursor): Promise<boolean> {
  const at = timestamp();
  if (cursor.recipients === 0) {
    await campaigns.move(teamId, campaign.id, 'fail', { failure_reason: 'audience_empty' });
    return true;
  }
  await noteDay(teamId, at);
  const opened = await table.transactIf([
    takeEmails(teamId, campaign.launched_by!.plan as Plan, cursor.recipients),
    { Put: { Item: queuedEvents(teamId, campaign.id, at) } },
    {
      Update: {
        Key: keys.campaign(teamId, campaign.id),
        ...campaigns.moving('freeze', {
          freeze: undefined,
          frozen_at: at,
          frozen_pages: cursor.pages,
          total_recipients: cursor.recipients,
          sent_at: at,
          progress: { accounted: 0, at },
        }),
      },
    },
  ]);
  // The same transaction of a second freezer may have come first: then the campaign is sending, and no move to `failed` is left.
  if (!opened) await campaigns.move(teamId, campaign.id, 'fail', { failure_reason: 'plan_allowance_exceeded' });
  return true;
}
