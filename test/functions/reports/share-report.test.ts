import { expect, it } from 'vitest';
import { readyCampaign } from '../../support/campaign.ts';
import { call, newTeam } from '../../support/team.ts';

it('revokes the links to a report that were made so far, of that campaign only, and makes new ones', async () => {
  const team = await newTeam();
  const made = () => readyCampaign(team, [{ email: 'ann@example.com' }]);
  const [{ campaign }, other] = [await made(), await made()];
  const share = async (id: number) => (await team.data('POST', `/campaigns/${id}/report/share`)).url;
  const statuses = (links: string[]) => Promise.all(links.map(async (link) => (await call(link)).status));
  const before = [await share(campaign), await share(campaign)];
  const others = await share(other.campaign);
  expect(await statuses([...before, others])).toEqual([200, 200, 200]);
  const revoke = async () => (await team.api('DELETE', `/campaigns/${campaign}/report/share`)).body;
  expect(await revoke()).toEqual({ data: { campaign_id: campaign, revoked: true } });
  expect(await statuses([...before, others])).toEqual([404, 404, 200]);
  const after = await share(campaign);
  expect(await statuses([after, ...before])).toEqual([200, 404, 404]);
  await revoke();
  const last = await share(campaign);
  expect(await statuses([last, after, ...before, others])).toEqual([200, 404, 404, 404, 200]);
  await team.data('PATCH', `/campaigns/${campaign}`, { name: 'Renamed' });
  expect(await statuses([last, after])).toEqual([200, 404]);
});

it('has the subject as its heading, or the name of a campaign whose subject differs by recipient', async () => {
  const team = await newTeam();
  for (const [subject, heading] of [
    ['Autumn news', 'Autumn news'],
    ['Hello {{first_name | default: "there"}}', 'For customers'],
  ]) {
    const { campaign } = await readyCampaign(team, [{ email: 'ann@example.com' }], { subject, name: 'For customers' });
    const { url } = await team.data('POST', `/campaigns/${campaign}/report/share`);
    expect((await call(url)).body).toContain(`<h1>${heading}</h1>`);
  }
});
