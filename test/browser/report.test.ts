import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, readyCampaign } from '../support/campaign.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { newGuest } from '../support/guest.ts';
import { call, control, newTeam, type Team } from '../support/team.ts';

const how = hasChromium ? 'in Chromium' : 'over HTTP, since there is no Chromium here';
const people = Array.from({ length: 8 }, (_, index) => ({ email: `p${index}@example.com` }));
const link = `https://example.com/${'a-long-way-'.repeat(12)}?x=<b>`;

let browser: Browser | undefined;
let team: Team;
let campaign: number;

beforeAll(async () => {
  browser = await openChromium();
  team = await newTeam();
  ({ campaign } = await readyCampaign(team, people, { subject: 'News & <b>more</b>' }));
  await team.api('POST', `/campaigns/${campaign}/send`);
  await finished(team, campaign);
  // An open within two seconds of the delivery counts as a machine's.
  const metadata = { occurred_at: new Date(Date.now() - 3_600_000).toISOString() };
  const opened = people.slice(0, 4).map(({ email }) => ({ email, event: 'opened', campaign_id: campaign, metadata }));
  const clicked = { email: people[0]!.email, event: 'clicked', campaign_id: campaign, metadata: { url: link } };
  await team.api('POST', '/events', { events: [...opened, clicked] });
});
afterAll(() => browser?.close());

const share = (body: object = {}) => team.api('POST', `/campaigns/${campaign}/report/share`, body);

it(`shows the report with its plots, without a key and without external resources (${how})`, async () => {
  const { body } = await share();
  const guest = await newGuest(browser);
  await guest.open(body.data.url);
  expect(await guest.title()).toContain('report');
  const text = await guest.text();
  for (const part of ['50%', '4 of 8 delivered', '12.5%', 'example.com/a-long-way-']) expect(text).toContain(part);
  const page = await call(body.data.url);
  expect(page.body).toContain('4 people opened and 1 clicked');
  expect(page.body).not.toContain('<b>');
  expect(page.headers.get('x-robots-tag')).toBe('noindex');
});

it('says when there are no opens yet, and when nothing is sent', async () => {
  const guest = await newGuest(browser);
  const unsent = await readyCampaign(team, people.slice(0, 1), { subject: 'Later' });
  const shared = await team.api('POST', `/campaigns/${unsent.campaign}/report/share`, {});
  await guest.open(shared.body.data.url);
  expect(await guest.text()).toContain('has not sent this campaign yet');
  await team.api('POST', `/campaigns/${unsent.campaign}/send`);
  await finished(team, unsent.campaign);
  await guest.open(shared.body.data.url);
  expect(await guest.text()).toContain('Nobody has opened or clicked yet');
});

it('expires on time, and its expiry cannot be changed', async () => {
  const { body } = await share({ expires_in_days: 1 });
  // The clock of the stack, which waiting for other tests' teams moves.
  const now = Date.parse((await control('GET', '/clock')).body.now);
  expect(Date.parse(body.data.expires_at) - now).toBeLessThanOrEqual(86_400_000);
  expect((await call(`${body.data.url}x`)).status).toBe(404);
  expect((await call(body.data.url.slice(0, -2))).status).toBe(404);
  for (const expires_in_days of [0, 366, 1.5]) expect((await share({ expires_in_days })).status).toBe(422);
});
