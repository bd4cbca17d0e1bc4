import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as clicks from '../../../shared/data/events/clicks.ts';
import { everyRow, finished, readyCampaign } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { rawTable } from '../../support/table.ts';
import { newTeam, type Team } from '../../support/team.ts';

useSharedTable();

let team: Team;
let campaign: number;
let person = 0;
const people = Array.from({ length: 12 }, (_, index) => ({ email: `p${index}@example.com` }));
const start = Date.now() - 3_600_000;

beforeAll(async () => {
  team = await newTeam();
  ({ campaign } = await readyCampaign(team, people));
  await team.api('POST', `/campaigns/${campaign}/send`);
  await finished(team, campaign);
});

const next = (): string => people[person++]!.email;
const at = (seconds: number): string => new Date(start + seconds * 1_000).toISOString();
const click = (email: string, path: string, seconds: number, more: object = {}) => ({
  email,
  event: 'clicked',
  campaign_id: campaign,
  metadata: { url: `https://example.com/${path}`, occurred_at: at(seconds), ...more },
});
async function report(...events: object[]): Promise<void> {
  expect((await team.api('POST', '/events', { events })).status).toBe(200);
}
const links = async () => (await team.api('GET', `/campaigns/${campaign}/report/links`)).body.data;
const link = async (path: string) =>
  (await links()).find(({ url }: { url: string }) => url === `https://example.com/${path}`);
const clicked = async () => (await team.api('GET', `/campaigns/${campaign}/report`)).body.data.metrics.clicked;
const clickedAt = async (email: string) => {
  const rows = await everyRow(team, `/campaigns/${campaign}/recipients`);
  return rows.find((row) => row.email === email).clicked_at;
};

describe('the link report', () => {
  it('counts clicks and recipients by link, most clicked first, and a duplicate once', async () => {
    const [ann, bob] = [next(), next()];
    const first = click(ann, 'a', 0);
    await report(first, click(ann, 'a', 60), click(bob, 'a', 0), click(bob, 'b', 90));
    await report(first, first);
    expect((await links()).slice(0, 2)).toEqual([
      { url: 'https://example.com/a', clicks: 3, unique: 2, bots: 0 },
      { url: 'https://example.com/b', clicks: 1, unique: 1, bots: 0 },
    ]);
  });

  it("counts a machine's clicks apart, by its mark or its agent", async () => {
    const email = next();
    const before = await clicked();
    await report(click(email, 'c', 0, { bot: true }), click(email, 'c', 30, { user_agent: 'Barracuda Sentinel' }));
    expect(await link('c')).toEqual({ url: 'https://example.com/c', clicks: 0, unique: 0, bots: 2 });
    expect(await clicked()).toBe(before);
    expect(await clickedAt(email)).toBeNull();
  });

  it("judges three links within two seconds as a machine's, also those already counted, not later ones", async () => {
    const email = next();
    const before = await clicked();
    await report(click(email, 'd1', 0));
    expect(await clicked()).toBe(before + 1);
    await report(click(email, 'd2', 0.5));
    expect(await clicked()).toBe(before + 1);
    await report(click(email, 'd3', 1.5));
    expect(await clicked()).toBe(before);
    expect(await clickedAt(email)).toBeNull();
    for (const path of ['d1', 'd2', 'd3']) expect(await link(path)).toMatchObject({ clicks: 0, unique: 0, bots: 1 });
    await report(click(email, 'd1', 300));
    expect(await clicked()).toBe(before + 1);
    expect(await link('d1')).toMatchObject({ clicks: 1, unique: 1, bots: 1 });
    expect(Date.parse(await clickedAt(email))).toBe(Date.parse(at(300)));
  });

  it('judges a burst the same in any order, in one call or in concurrent ones', async () => {
    const [together, apart] = [next(), next()];
    const before = await clicked();
    await report(click(together, 'e3', 2), click(together, 'e1', 0), click(together, 'e2', 1));
    await Promise.all(['e2', 'e3', 'e1'].map((path, index) => report(click(apart, path, index / 2))));
    expect(await clicked()).toBe(before);
    for (const path of ['e1', 'e2', 'e3']) expect(await link(path)).toMatchObject({ clicks: 0, bots: 2 });
  });

  it('excludes bursts from the segments of contacts that click', async () => {
    const [machine, reader] = [next(), next()];
    await report(click(machine, 'f1', 0), click(machine, 'f2', 0), click(machine, 'f3', 0), click(reader, 'f1', 0));
    const definition = { engagement: { type: 'clicked', days: 1 } };
    const { body } = await team.api('POST', '/segments/preview', { definition });
    const found = body.data.sample.map(({ email }: { email: string }) => email);
    expect(found).toContain(reader);
    expect(found).not.toContain(machine);
  });

  it('keeps its counts when a person is erased', async () => {
    const email = next();
    await report(click(email, 'g', 0), click(email, 'g', 100));
    const before = await links();
    await team.api('POST', `/contacts/${email}/erase`);
    expect(await links()).toEqual(before);
  });

  it('shows a link with its merge tag, not as recipients saw it, and an erasure leaves no address', async () => {
    const people = ['ann', 'bob'].map((name) => ({ email: `${name}@merged.example` }));
    const [ann, bob] = people.map(({ email }) => email) as [string, string];
    const html =
      '<p>Hi <a href="https://shop.example/?u={{email}}&amp;c=1">you</a> <a href="{{unsubscribe_url}}">-</a></p>';
    const { campaign } = await readyCampaign(team, people, { html });
    await team.api('POST', `/campaigns/${campaign}/send`);
    await finished(team, campaign);
    const seenBy = (email: string) => `https://shop.example/?u=${email}&c=1`;
    const event = (email: string, seconds: number) => ({
      ...click(email, '', seconds, { url: seenBy(email) }),
      campaign_id: campaign,
    });
    await report(event(ann, 0), event(bob, 0), event(bob, 60));
    const shown = { url: 'https://shop.example/?u={{email}}&c=1', clicks: 3, unique: 2, bots: 0 };
    const of = async () => (await team.api('GET', `/campaigns/${campaign}/report/links`)).body.data;
    expect(await of()).toEqual([shown]);
    // As an earlier version stored it.
    const asSeen = { url: seenBy(ann), clicked: seenBy(ann) };
    const row = { campaign_id: campaign, who: ann, id: 7, contact_id: null, ...asSeen, at: at(90) };
    await clicks.note(team.id, campaign, row);
    expect(await of()).toEqual([{ ...shown, clicks: 4, unique: 3 }]);
    const table = await rawTable(inject('folder'));
    expect((await table.partition(`TEAM#${team.id}#CAMPAIGN#${campaign}`)).map(({ url }) => url)).toContain(
      seenBy(ann),
    );
    for (const email of [ann, bob]) await team.api('POST', `/contacts/${email}/erase`);
    expect(await of()).toEqual([{ ...shown, clicks: 4, unique: 3 }]);
    for (const key of ['', '#CLICKS']) {
      const kept = await table.partition(`TEAM#${team.id}#CAMPAIGN#${campaign}${key}`);
      expect(JSON.stringify(kept)).not.toContain('merged.example');
      expect(kept.filter(({ seen }) => seen)).toEqual([]);
    }
    const events = await everyRow(team, `/events?campaign_id=${campaign}&event=clicked`);
    expect(events).toHaveLength(3);
    expect(JSON.stringify(events)).not.toContain('merged.example');
  });
});
