import { expect, it } from 'vitest';
import * as engagement from '../../../shared/data/events/engagement.ts';
import * as rows from '../../../shared/data/events/rows.ts';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import { eventId, type IncomingEvent } from '../../../shared/domain/events/delivery-event.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { applyEvents } from '../../../shared/flows/feedback/apply-events.ts';
import { recount } from '../../../shared/flows/feedback/recount.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const campaign = 1;
const minute = 60_000;
const start = Date.now() - 60 * minute;

/** An event of a reader, some time after an hour ago. */
const event = (type: 'delivered' | 'opened', ms: number, of = campaign): IncomingEvent => ({
  email: 'reader@example.com',
  event: type,
  campaign_id: of,
  contact_id: null,
  provider: 'test',
  source: 'api',
  metadata: {},
  occurred_at: timestamp(start + ms),
});

it('takes back an open too soon after its delivery when the worker that counted it died before it looked', async () => {
  const { id: teamId } = await newTeam();
  const opened = event('opened', 1_000);
  await applyEvents(teamId, [event('delivered', 0)]);
  // What a worker leaves that died: its mark, the open's row and the recipient's engagement.
  await table.put({ Item: keys.countingBatch(teamId, campaign, timestamp(Date.now() - 10 * minute), 'died') });
  const { occurred_at, ...rest } = opened;
  await rows.store(teamId, { ...rest, id: eventId(opened), is_machine_open: false, created_at: occurred_at });
  await engagement.note(teamId, campaign, { email: opened.email, contact_id: null }, 'opened_at', occurred_at);

  await applyEvents(teamId, [opened]);
  const [row] = await rows.batch(teamId, [{ campaign_id: campaign, created_at: occurred_at, id: eventId(opened) }]);
  expect(row).toMatchObject({ is_machine_open: true, machine_reason: 'within_2s_of_delivery' });
  expect((await engagement.find(teamId, campaign, opened.email))?.opened_at).toBeUndefined();
  expect(await recount({ team_id: teamId, campaign_id: campaign }, Date.now() + minute)).toBeUndefined();
  expect(await engagement.counts(teamId, campaign)).toMatchObject({ delivered: 1, opened: 0 });
});

it('counts the next open of the campaign when the first one is taken back', async () => {
  const { id: teamId } = await newTeam();
  await applyEvents(teamId, [event('opened', 1_000), event('opened', 9_000), event('opened', 5_000, campaign + 1)]);
  await applyEvents(teamId, [event('delivered', 0)]);
  expect((await engagement.find(teamId, campaign, 'reader@example.com'))?.opened_at).toBe(timestamp(start + 9_000));
  const [first, other] = await engagement.countsOf(teamId, [campaign, campaign + 1], { eventual: false });
  expect([first, other]).toMatchObject([
    { delivered: 1, opened: 1 },
    { delivered: 0, opened: 1 },
  ]);
});
