import { expect, inject, it } from 'vitest';
import * as campaigns from '../../../shared/data/campaigns/campaigns.ts';
import type { DueJob } from '../../../shared/data/due-jobs.ts';
import { linkRows } from '../../../shared/flows/reports/campaign-report.ts';
import { countReport, rowCounts } from '../../../shared/flows/reports/count-rows.ts';
import { readyCampaign } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { type Row, rawTable } from '../../support/table.ts';
import { newTeam, type Team } from '../../support/team.ts';

useSharedTable();

const sent_at = '2026-11-20T10:00:00.000+00:00';
const at = (hour: number) => `2026-11-20T${10 + hour}:30:00.000+00:00`;

const clickOf = (team: Team, campaign: number, who: string, link: string, id: number, machine?: string): Row => ({
  ...{ pk: `TEAM#${team.id}#CAMPAIGN#${campaign}#CLICKS`, sk: `${who} ${at(1)}#${String(id).padStart(16, '0')}` },
  ...{ who, link, at: at(1), id },
  ...(machine && { machine }),
});

/** A campaign with `people` who clicked two links, one of them twice, and a machine; as it was stored before. */
async function clickedCampaign(people: number): Promise<{ team: Team; campaign: campaigns.CampaignItem }> {
  const team = await newTeam();
  const { campaign } = await readyCampaign(team, []);
  await campaigns.change(team.id, campaign, ['draft'], { sent_at });
  const own = `TEAM#${team.id}#CAMPAIGN#${campaign}`;
  const links = ['a', 'b'].map((link) => ({ pk: own, sk: `LINK#${link}`, url: `https://example.com/${link}` }));
  const clicks = Array.from({ length: people }, (_, index): Row[] => {
    const who = `p${String(index).padStart(4, '0')}@example.com`;
    const click = (link: string, id: number, machine?: string) => clickOf(team, campaign, who, link, id, machine);
    const engagement = { pk: `${own}#ENGAGEMENT`, sk: who, opened_at: at(index % 2), clicked_at: at(2) };
    return [click('a', 1), click('b', 2), click('a', 3), click('b', 4, 'click_burst'), engagement];
  });
  await (await rawTable(inject('folder'))).write([...links, ...clicks.flat()]);
  return { team, campaign: (await campaigns.find(team.id, campaign))! };
}

type ReportJob = Extract<DueJob, { kind: 'report' }>;
const jobsOf = async (team: Team): Promise<ReportJob[]> => {
  const table = await rawTable(inject('folder'));
  const rows = await Promise.all([0, 1, 2, 3].map((shard) => table.partition(`DUE#${shard}`)));
  return rows.flat().filter(({ kind, team_id }) => kind === 'report' && team_id === team.id) as unknown as ReportJob[];
};
const shown = async (team: Team, id: number, { exact, ...counts }: Awaited<ReturnType<typeof rowCounts>>) => ({
  exact,
  hours: counts.hours,
  links: await linkRows(team.id, id, counts),
});

it('a report of many clicks is a part at first, then the count of one job, which may be cut off anywhere', async () => {
  const { team, campaign } = await clickedCampaign(8);
  const report = async (withinMs?: number) =>
    shown(team, campaign.id, await rowCounts(team.id, campaign, true, withinMs));
  const links = [
    { url: 'https://example.com/a', clicks: 16, unique: 8, bots: 0 },
    { url: 'https://example.com/b', clicks: 8, unique: 8, bots: 8 },
  ];
  const hours = { 0: { opened: 4, clicked: 0 }, 1: { opened: 4, clicked: 0 }, 2: { opened: 0, clicked: 8 } };
  expect(await report()).toEqual({ exact: true, hours, links });
  expect(await jobsOf(team)).toEqual([]);
  const part = await report(-1);
  expect(part).toMatchObject({ exact: false, links: [{ clicks: 1, unique: 1 }] });
  await report(-1);
  const [job, ...others] = await jobsOf(team);
  expect(others).toEqual([]);
  const own = async () => (await rawTable(inject('folder'))).partition(`TEAM#${team.id}#CAMPAIGN#${campaign.id}`);
  const kept = async () => (await own()).find(({ sk }) => sk === 'REPORT#COUNT');
  let last: Row | undefined;
  let steps = 0;
  for (let cursor = job!.cursor; ; steps++) {
    const step = () => countReport({ ...job!, cursor }, 0);
    // A worker dies after it has stored how far it is, and its step is made again.
    await step();
    last = (await kept()) ?? last;
    const next = await step();
    if (!next) break;
    // What the job itself holds is small: it is in a partition that all teams share.
    expect(next).toEqual({ afterMs: 0, cursor: 'counting' });
    cursor = next.cursor as string;
  }
  expect(steps).toBe(20);
  expect(await kept()).toBeUndefined();
  const reported = await report(-1);
  // Or it dies between the report and the removal of the count.
  await (await rawTable(inject('folder'))).write([last!]);
  while (await countReport({ ...job!, cursor: 'counting' }, 0));
  expect([await kept(), await report(-1)]).toEqual([undefined, reported]);
  expect(await report(-1)).toEqual({ exact: false, hours, links });
  expect(await report()).toEqual({ exact: false, hours, links });
  // Links alone are read in time, and exact whatever a job has counted; a page with moments is not counted again yet.
  await (await rawTable(inject('folder'))).write([clickOf(team, campaign.id, 'p0008@example.com', 'b', 1)]);
  const now = await shown(team, campaign.id, await rowCounts(team.id, campaign, false));
  expect(now).toMatchObject({ exact: true, links: [links[0], { ...links[1], clicks: 9, unique: 9 }] });
  expect(await report()).toEqual({ exact: false, hours, links });
  expect(await shown(team, campaign.id, await rowCounts(team.id, campaign, false, -1))).toMatchObject({
    exact: false,
    links,
  });
  expect(await jobsOf(team)).toEqual([job]);
});

it('a job of an earlier version, which held its counts itself, counts anew', async () => {
  const { team, campaign } = await clickedCampaign(2);
  const counted = { links: { a: { clicks: 7, unique: 7, bots: 0 } }, kept: 1, hours: {}, seen: [], forgotten: false };
  const cursor = { walk: 'clicks', after: 'p0000@example.com z', counted, begun: at(0) };
  const job = { kind: 'report', team_id: team.id, campaign_id: campaign.id, cursor } as const;
  expect(await countReport(job, Date.now() + 20_000)).toBeUndefined();
  const { links } = await shown(team, campaign.id, await rowCounts(team.id, campaign, true, -1));
  expect(links.map(({ clicks }) => clicks)).toEqual([4, 2]);
});

it('the report of a deleted campaign is not counted, and what was counted of it is removed', async () => {
  const { team, campaign } = await clickedCampaign(1);
  await rowCounts(team.id, campaign, true, -1);
  const [begun] = await jobsOf(team);
  await countReport(begun!, 0);
  await team.data('DELETE', `/campaigns/${campaign.id}`);
  const [job] = await jobsOf(team);
  expect(await countReport(job!, 0)).toBeUndefined();
  const rows = await (await rawTable(inject('folder'))).partition(`TEAM#${team.id}#CAMPAIGN#${campaign.id}`);
  expect(rows.map(({ sk }) => sk)).not.toContain('REPORT#COUNT');
});
