import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, inject, it, vi } from 'vitest';
import { recipientPageItem } from '../../../shared/data/campaigns/recipients.ts';
import { countOf } from '../../../shared/data/feedback/event-erasure.ts';
import * as events from '../../../shared/data/feedback/event-listing.ts';
import { eventPosition, padId } from '../../../shared/data/keys.ts';
import { type Direction, readPage } from '../../../shared/data/paging.ts';
import { useSharedTable } from '../../support/data.ts';
import { type Row, rawTable } from '../../support/table.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const email = 'ann@example.com';
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString().replace('Z', '+00:00');

/** A campaign to the address that began and ended, or goes on; its message is sent after half of the time. */
function sentCampaign(teamId: number, id: number, began: number, ended: number | undefined): Row[] {
  const frozen_at = hoursAgo(began);
  const over = ended !== undefined && { final: { sent: 1, failed: 0 }, updated_at: hoursAgo(ended) };
  const own = `TEAM#${teamId}#CAMPAIGN#${id}`;
  const sent_at = hoursAgo((began + (ended ?? 0)) / 2);
  return [
    { pk: `TEAM#${teamId}#CAMPAIGNS`, sk: padId(id), id, status: over ? 'sent' : 'sending', frozen_at, ...over },
    { ...recipientPageItem(teamId, id, 0, [{ email, contact_id: 1 }]) },
    { pk: `${own}#PAGES`, sk: padId(0), state: 'done', statuses: 's', sent_at, leaf: email, lease_until: sent_at },
  ];
}

it('lists the events of an address in many campaigns once, both ways, when no time is left at any step', async () => {
  const { id: teamId } = await newTeam();
  // Long and short ones, six of them going on, in no order of their ids.
  const rows = Array.from({ length: 36 }, (_, index) => {
    const began = 20 + ((index * 37) % 41) * 24;
    return sentCampaign(teamId, index + 1, began, index % 6 ? Math.max(1, began - (index % 4) * 60) : undefined);
  });
  await (await rawTable(inject('folder'))).write(rows.flat());
  const read = async (direction: Direction, start: string | undefined, size: number, deadline?: number) => {
    const found: { id: number; created_at: string }[] = [];
    let [from, pages] = [start, 0];
    do {
      const page = await readPage(events.list(teamId, { email }), direction, from, size, { deadline });
      if (direction === 'forward') found.push(...page.items);
      else found.unshift(...page.items);
      from = direction === 'forward' ? page.next : page.prev;
      expect(++pages).toBeLessThan(200);
    } while (from !== undefined);
    return found.map(({ id, created_at }) => eventPosition(created_at, id));
  };
  const all = await read('forward', undefined, 1_000);
  expect(all).toHaveLength(72);
  expect(all).toEqual([...new Set(all)].sort().reverse());
  for (const [direction, start] of [
    ['forward', undefined],
    ['backward', '0#'],
  ] as const)
    expect(await read(direction, start, 13, 0)).toEqual(all);
  expect(await countOf(teamId, email, 60_000)).toEqual({ count: 72, exact: true });
  expect(await countOf(teamId, email, 0)).toEqual({ count: 0, exact: false });
});

it('reads the campaigns of a team once for a page, and only the campaign that is asked for', async () => {
  const { id: teamId } = await newTeam();
  const rows = Array.from({ length: 20 }, (_, index) => sentCampaign(teamId, index + 1, 100 - index, 50));
  const deleted = { pk: `TEAM#${teamId}#DELETED_CAMPAIGNS`, sk: padId(3), id: 3, frozen_at: hoursAgo(98) };
  rows[2]![0] = { ...deleted, ended_at: hoursAgo(50) };
  await (await rawTable(inject('folder'))).write(rows.flat());
  const sent = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const page = async (filter: object, from?: string) => {
    sent.mockClear();
    const { items } = await readPage(events.list(teamId, { email, ...filter }), 'forward', from, 5);
    const pks = sent.mock.calls.map(([{ input }]) => Object(input).ExpressionAttributeValues?.[':pk']);
    return [items.map(({ campaign_id }) => campaign_id), pks.filter((pk) => pk === `TEAM#${teamId}#CAMPAIGNS`).length];
  };
  try {
    expect(await page({}, `${hoursAgo(97.5)}#`)).toEqual([[3, 2, 1], 1]);
    expect(await page({ campaign_id: 2 })).toEqual([[2, 2], 0]);
    expect(await page({ campaign_id: 3 })).toEqual([[3, 3], 0]);
    expect(await page({ campaign_id: 99 })).toEqual([[], 0]);
  } finally {
    sent.mockRestore();
  }
});
