import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { recipientPageItem } from '../../../shared/data/campaigns/recipients.ts';
import * as deliveries from '../../../shared/data/events/deliveries.ts';
import * as engagement from '../../../shared/data/events/engagement.ts';
import { noteDay } from '../../../shared/data/events/rows.ts';
import { list } from '../../../shared/data/feedback/event-listing.ts';
import { keys } from '../../../shared/data/keys.ts';
import { readPage } from '../../../shared/data/paging.ts';
import * as table from '../../../shared/data/table.ts';
import { concurrently } from '../../../shared/domain/concurrently.ts';
import { pageSize } from '../../../shared/domain/events/place.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const people = 260;
const emailOf = (place: number) => `p${String(place).padStart(4, '0')}@example.com`;

/** A campaign's pages, as a snapshot and a send leave them. */
async function storePages(teamId: number, campaign: number): Promise<void> {
  for (let page = 0; page * pageSize < people; page++) {
    const places = Array.from(
      { length: Math.min(pageSize, people - page * pageSize) },
      (_, at) => page * pageSize + at,
    );
    const own = places.map((place) => ({ email: emailOf(place), contact_id: place + 1 }));
    const leaf = recipientPageItem(teamId, campaign, page, own);
    const result = { ...keys.page(teamId, campaign, page), state: 'done', leaf: leaf.sk, statuses: 's'.repeat(50) };
    await table.put({ Item: leaf });
    await table.put({ Item: result });
  }
}

const start = Date.now() - 3_600_000;
const report = fc.record({
  place: fc.nat(people - 1),
  second: fc.nat(400),
  ms: fc.nat(999),
  copies: fc.integer({ min: 1, max: 3 }),
});

async function pages(
  teamId: number,
  filter: Parameters<typeof list>[1],
  direction: 'forward' | 'backward',
  size: number,
) {
  const found: string[] = [];
  for (let from: string | undefined; ; ) {
    const page = await readPage(list(teamId, filter), direction, from, size);
    const shown = page.items.map(({ email, created_at }) => `${created_at} ${email}`);
    if (direction === 'forward') found.push(...shown);
    else found.unshift(...shown);
    from = direction === 'forward' ? page.next : page.prev;
    if (from === undefined) return found;
  }
}

it('packed deliveries are counted once and listed in order, both ways, however they arrive', async () => {
  const { id: teamId } = await newTeam();
  let campaign = 0;
  const scenario = fc.record({
    reports: fc.array(report, { minLength: 1, maxLength: 250 }),
    batch: fc.integer({ min: 1, max: 60 }),
    size: fc.integer({ min: 1, max: 40 }),
    since: fc.nat(400),
    until: fc.nat(400),
  });
  const property = fc.asyncProperty(scenario, async ({ reports, batch, size, since, until }) => {
    campaign++;
    await storePages(teamId, campaign);
    const at = (second: number, ms = 0) => new Date(start + second * 1_000 + ms).toISOString().replace('Z', '+00:00');
    const arrived = reports.flatMap(({ place, second, ms, copies }) =>
      Array.from({ length: copies }, () => ({ place, at: at(second, ms) })),
    );
    for (const one of arrived) await noteDay(teamId, one.at);
    const batches = Array.from({ length: Math.ceil(arrived.length / batch) }, (_, index) =>
      arrived.slice(index * batch, index * batch + batch),
    );
    await concurrently(batches, 4, (some) => deliveries.store(teamId, campaign, some, false));
    const stored = await deliveries.timesOf(
      teamId,
      campaign,
      arrived.map(({ place }) => place),
    );
    expect([...stored.keys()].sort()).toEqual([...new Set(arrived.map(({ place }) => place))].sort());
    for (const [place, time] of stored) expect(arrived).toContainEqual({ place, at: time });
    const rows = [...stored].map(([place, time]) => ({ time, text: `${time} ${emailOf(place)}` }));
    const ordered = (some: typeof rows) => some.map(({ text }) => text).sort();
    const [low, high] = [at(Math.min(since, until)), at(Math.max(since, until), 999)];
    for (const direction of ['forward', 'backward'] as const) {
      const all = await pages(teamId, { campaign_id: campaign, event: 'delivered' }, direction, size);
      expect(all.map((row) => row.slice(0, 29))).toEqual(
        all
          .map((row) => row.slice(0, 29))
          .sort()
          .reverse(),
      );
      expect([...all].sort()).toEqual(ordered(rows));
      const filter = { campaign_id: campaign, event: 'delivered' as const, since: low, until: high };
      const some = await pages(teamId, filter, direction, size);
      expect([...some].sort()).toEqual(ordered(rows.filter(({ time }) => time >= low && time <= high)));
    }
    expect((await engagement.counts(teamId, campaign)).delivered).toBe(rows.length);
    const email = emailOf(arrived[0]!.place);
    expect(await pages(teamId, { campaign_id: campaign, event: 'delivered', email }, 'forward', size)).toEqual([]);
  });
  await fc.assert(property, {
    numRuns: Number(process.env.PROPERTY_RUNS ?? 6),
    seed: Number(process.env.PROPERTY_SEED ?? 7),
  });
});

it('deliveries that are not yet published to webhooks come again, until they are', async () => {
  const { id: teamId } = await newTeam();
  await storePages(teamId, 1);
  const some = [3, 120].map((place) => ({ place, at: new Date(start).toISOString().replace('Z', '+00:00') }));
  expect(await deliveries.store(teamId, 1, some, true)).toEqual(some);
  expect(await deliveries.store(teamId, 1, some, true)).toEqual(some);
  await deliveries.markPublished(teamId, 1, [3]);
  expect(await deliveries.store(teamId, 1, some, true)).toEqual([some[1]]);
  await deliveries.markPublished(teamId, 1, [120]);
  expect(await deliveries.store(teamId, 1, some, true)).toEqual([]);
});
