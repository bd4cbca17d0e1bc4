import { expect, it } from 'vitest';
import * as deliveries from '../../../shared/data/events/deliveries.ts';
import * as engagement from '../../../shared/data/events/engagement.ts';
import * as rows from '../../../shared/data/events/rows.ts';
import { list, storedOf } from '../../../shared/data/feedback/event-listing.ts';
import { eventPosition, keys } from '../../../shared/data/keys.ts';
import { type Direction, readPage, type Search } from '../../../shared/data/paging.ts';
import * as table from '../../../shared/data/table.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const campaign = 7;
const day = 86_400_000;
const ago = (ms: number) => timestamp(Date.now() - ms);

/** A team as the version before left it, or with the day from which its events are spread. */
async function teamSpreadSince(since: string | undefined): Promise<number> {
  const { id } = await newTeam();
  await table.update({
    Key: keys.team(id),
    UpdateExpression: since === undefined ? 'REMOVE events_spread_since' : 'SET events_spread_since = :since',
    ...(since !== undefined && { ExpressionAttributeValues: { ':since': since } }),
  });
  return id;
}

const opened = (id: number, at: string) => ({
  id,
  email: `reader${id}@example.com`,
  event: 'opened' as const,
  campaign_id: campaign,
  contact_id: null,
  provider: 'test',
  source: null,
  is_machine_open: false,
  metadata: {},
  created_at: at,
});

/** Stores an event where the version before did. */
async function storeAsBefore(teamId: number, event: ReturnType<typeof opened>): Promise<void> {
  const ttl = Math.floor(Date.now() / 1000) + 180 * 86_400;
  await table.put({ Item: { ...rows.eventKeys(teamId, event, false), ...event, ttl } });
}

async function idsOf(
  source: Search<{ id: number }>,
  direction: Direction = 'forward',
  start?: string,
): Promise<number[]> {
  const found: number[] = [];
  for (let from = start; ; ) {
    const page = await readPage(source, direction, from, 9);
    if (direction === 'forward') found.push(...page.items.map(({ id }) => id));
    else found.unshift(...page.items.map(({ id }) => id));
    from = direction === 'forward' ? page.next : page.prev;
    if (from === undefined) return found;
  }
}

it('spreads the events of a new team over sixteen partitions of its day and of its campaign', async () => {
  const { id: teamId } = await newTeam();
  const at = ago(60_000);
  const stored = await Promise.all(
    Array.from({ length: 32 }, async (_, id) => {
      expect(await rows.store(teamId, opened(id, at))).toEqual({ fresh: true });
      return (await table.get<Record<'pk' | 'gsi2pk', string>>(await rows.keyOf(teamId, opened(id, at))))!;
    }),
  );
  expect(new Set(stored.map(({ pk }) => pk)).size).toBe(16);
  expect(new Set(stored.map(({ gsi2pk }) => gsi2pk)).size).toBe(16);
});

it('finds the events of a type in a campaign, also those whose index entries name no type', async () => {
  const { id: teamId } = await newTeam();
  const events = Array.from({ length: 30 }, (_, id) => {
    const event = id % 3 === 0 ? ('clicked' as const) : ('opened' as const);
    return { ...opened(id, ago(90_000 - id * 1_000)), event };
  });
  const ttl = Math.floor(Date.now() / 1000) + 86_400;
  await table.put({ Item: { ...keys.eventDay(teamId, ago(60_000).slice(0, 10)), ttl } });
  for (const event of events) {
    const { event: _, ...before } = event;
    if (event.id % 2) await rows.store(teamId, event);
    else await table.put({ Item: { ...rows.eventKeys(teamId, before, true), ...event, ttl } });
  }
  const newest = events.toReversed();
  for (const event of ['clicked', 'opened', 'bounced'] as const) {
    const wanted = newest.flatMap((one) => (one.event === event ? [one.id] : []));
    const source = list(teamId, { event, campaign_id: campaign });
    expect(await idsOf(source)).toEqual(wanted);
    if (wanted.length > 0) expect(await idsOf(source, 'backward', '2000-01-01T00:00:00.000+00:00#')).toEqual(wanted);
  }
});

it('lists events from before and after they were spread in one order, both ways, with since and until', async () => {
  const teamId = await teamSpreadSince(ago(day).slice(0, 10));
  const events = Array.from({ length: 20 }, (_, id) => opened(id, ago(2 * day - id * 2.4 * 3_600_000)));
  for (const event of events) {
    await rows.noteDay(teamId, event.created_at);
    if (event.created_at < ago(day).slice(0, 10)) await storeAsBefore(teamId, event);
    else await rows.store(teamId, event);
  }
  const spread = await Promise.all(events.map(async (event) => (await table.get(await rows.keyOf(teamId, event)))!));
  expect(new Set(spread.map(({ gsi2pk }) => String(gsi2pk).endsWith('#EVENTS'))).size).toBe(2);
  const newest = events.map(({ id }) => id).reverse();
  const ofCampaign = { campaign_id: campaign };
  expect(await idsOf(list(teamId, {}))).toEqual(newest);
  const [since, until] = [events[5]!.created_at, events[16]!.created_at];
  for (const direction of ['forward', 'backward'] as const) {
    expect(await idsOf(list(teamId, ofCampaign), direction)).toEqual(newest);
    expect(await idsOf(list(teamId, { ...ofCampaign, since, until }), direction)).toEqual(newest.slice(3, 15));
  }
  expect(await idsOf(storedOf(teamId, campaign))).toEqual(newest);
  const middle = eventPosition(events[10]!.created_at, 10);
  expect((await readPage(list(teamId, ofCampaign), 'forward', middle, 3)).items.map(({ id }) => id)).toEqual(
    newest.slice(10, 13),
  );
});

it('knows an event that the version before stored, and goes on as it did for two days', async () => {
  const teamId = await teamSpreadSince(undefined);
  const [before, now] = [opened(13, ago(day)), opened(14, ago(0))];
  await storeAsBefore(teamId, before);
  expect(await rows.store(teamId, before)).toMatchObject({ fresh: false, known: { id: 13 } });
  await rows.judge(teamId, before, 'scanner');
  expect((await rows.batch(teamId, [before]))[0]).toMatchObject({ machine_reason: 'scanner' });
  await rows.store(teamId, now);
  expect(await rows.keyOf(teamId, now)).toMatchObject({ pk: `TEAM#${teamId}#EVENT#${now.created_at.slice(0, 10)}#2` });
  const { events_spread_since } = (await table.get<{ events_spread_since: string }>(keys.team(teamId)))!;
  expect(events_spread_since).toBe(timestamp(Date.now() + 2 * day).slice(0, 10));
});

it('adds the packed deliveries of the version before to those that are counted in parts', async () => {
  const teamId = await teamSpreadSince(ago(0).slice(0, 10));
  const given = (at: string, places: number[]) => places.map((place) => ({ place, at }));
  await deliveries.store(teamId, campaign, given(ago(2 * day), [1, 2, 3]), false);
  for (const place of [101, 102, 203, 204]) await deliveries.store(teamId, campaign, given(ago(0), [place]), false);
  expect(await table.get(keys.deliveredStats(teamId, campaign))).toMatchObject({ delivered: 3 });
  expect((await engagement.counts(teamId, campaign)).delivered).toBe(7);
  const both = await engagement.countsOf(teamId, [campaign, campaign + 1]);
  expect(both.map(({ delivered }) => delivered)).toEqual([7, 0]);
});
