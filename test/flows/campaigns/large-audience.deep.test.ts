import { describe, expect, inject, it } from 'vitest';
import * as campaigns from '../../../shared/data/campaigns/campaigns.ts';
import { previewSegment } from '../../../shared/flows/campaigns/audience.ts';
import { checkGates } from '../../../shared/flows/campaigns/launch.ts';
import { screen } from '../../../shared/flows/campaigns/screen.ts';
import { finished, readyCampaign } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

useSharedTable();

/** Lets Queries of a team's contacts take so long, all of them or those from an address on. */
const slow = (team: Team, seconds: number, from = '') =>
  control('POST', '/faults', {
    service: 'dynamodb',
    operation: 'Query',
    error: 'slow',
    seconds,
    containing: `TEAM#${team.id}#CONTACT"}${from && `,":low":{"S":"${from}"}`}`,
  });
const half = { audience_filters: { search: 'even' } };
/** Contacts of whom every other one matches; a fifth of them begin with s to z. */
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    email: `${'aeiou'[index % 5] === 'u' ? 'u' : 'd'}${index}-${index % 2 ? 'odd' : 'even'}@large.example`,
  }));

describe('an audience that cannot be counted in time', () => {
  it('is sent and scheduled all the same, and the snapshot refuses what the allowance does not cover', async () => {
    const team = await newTeam({ plan: 'business' });
    const { campaign, list } = await readyCampaign(team, people(8), half);
    const month = new Date().toISOString().slice(0, 7);
    const table = await rawTable(inject('folder'));
    const leave = (left: number) =>
      table.write([{ pk: `TEAM#${team.id}`, sk: `USAGE#${month}`, emails: 1_000_000 - left }]);
    await leave(3);
    const refused = await team.api('POST', `/campaigns/${campaign}/send`);
    expect([refused.status, refused.body.blockers]).toEqual([422, ['plan_allowance_exceeded']]);
    await slow(team, 1.5);
    const in_future = new Date(Date.now() + 3_600_000).toISOString();
    await team.data('POST', `/campaigns/${campaign}/schedule`, { send_at: in_future });
    const second = await readyCampaign(team, [], { ...half, contact_list_id: list });
    await team.data('POST', `/campaigns/${second.campaign}/send`);
    expect(await finished(team, second.campaign)).toMatchObject({
      status: 'failed',
      failure_reason: 'plan_allowance_exceeded',
      sent_count: 0,
    });
    await leave(4);
    const third = await readyCampaign(team, [], { ...half, contact_list_id: list });
    await team.data('POST', `/campaigns/${third.campaign}/send`);
    expect(await finished(team, third.campaign)).toMatchObject({ status: 'sent', sent_count: 4 });
  });

  it('is projected by preflight and preview from what was read, and said to be an estimate', async () => {
    const team = await newTeam();
    const { campaign } = await readyCampaign(team, people(1_050), half);
    const item = (await campaigns.find(team.id, campaign))!;
    const count = async (withinMs?: number) => {
      const [{ recipients, blockers }, { count, exact, sample }] = await Promise.all([
        checkGates(team.id, 'business', item, 'all', withinMs),
        previewSegment(team.id, half.audience_filters, withinMs),
      ]);
      return { blockers, recipients, preview: { count, exact }, sample: sample.length };
    };
    const all = { blockers: [], recipients: { count: 525, estimate: 525 }, preview: { count: 525 }, sample: 10 };
    expect(await count()).toMatchObject({ ...all, recipients: { exact: true }, preview: { exact: true } });
    await slow(team, 30, 's');
    // However slow this machine is: the part is all but the addresses that take 30 seconds.
    const isRead = ({ recipients, preview }: typeof part) => recipients?.count === 420 && preview.count === 525;
    let part = await count(2_000);
    for (let ms = 4_000; ms <= 16_000 && !isRead(part); ms *= 2) part = await count(ms);
    expect(part).toMatchObject({
      ...all,
      recipients: { count: 420, estimate: 525, exact: false },
      preview: { count: 525, exact: false },
    });
    // Nothing was read: all that is known is the size of the list, or of the team.
    expect(await count(0)).toMatchObject({
      blockers: [],
      recipients: { count: 0, estimate: 1_050, exact: false },
      preview: { count: 1_050, exact: false },
      sample: 0,
    });
  });
});

it('screening counts a large audience in steps, each from where the last stopped, also when run twice', async () => {
  const team = await newTeam();
  const { campaign, list } = await readyCampaign(team, people(1_100), half);
  const table = await rawTable(inject('folder'));
  const lists = await table.partition(`TEAM#${team.id}#LISTS`);
  await table.write([{ ...lists.find(({ id }) => id === list)!, contacts_count: 10_001 }]);
  const read = async () => (await campaigns.find(team.id, campaign))!;
  await campaigns.move(team.id, campaign, 'send', { run: 1 });
  const counted: unknown[] = [];
  for (let step = 0; step < 10 && (await read()).status === 'screening'; step++) {
    const seen = await read();
    await Promise.all([screen(team.id, seen, 0), screen(team.id, seen, 0)]);
    counted.push((await read()).screened?.recipients);
  }
  expect(counted).toEqual([expect.toSatisfy((some) => some > 0 && some < 550), 550, undefined]);
  expect((await read()).status).toBe('queuing');
});

it.each(['release', 'hold'] as const)('a campaign that %s moves out of screening keeps no address', async (move) => {
  const team = await newTeam();
  const { campaign } = await readyCampaign(team, []);
  await campaigns.move(team.id, campaign, 'send', { run: 1 });
  const screened = { after: 'somebody@large.example', recipients: 7 };
  await campaigns.change(team.id, campaign, ['screening'], { screened });
  await campaigns.change(team.id, campaign, ['screening'], { run: 2 });
  expect((await campaigns.find(team.id, campaign))!.screened).toEqual(screened);
  await campaigns.move(team.id, campaign, move);
  expect(await campaigns.find(team.id, campaign)).not.toHaveProperty('screened');
});

it('an unfiltered audience is exact when it is counted in time', async () => {
  const team = await newTeam();
  const { campaign } = await readyCampaign(team, people(12));
  expect(await team.data('POST', `/campaigns/${campaign}/preflight`)).toMatchObject({
    estimated_recipients: 12,
    recipients_exact: true,
  });
  expect(await team.data('POST', '/segments/preview', {})).toMatchObject({ count: 12, exact: true });
});
