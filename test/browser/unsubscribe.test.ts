import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, messagesOf, readyCampaign } from '../support/campaign.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { newGuest } from '../support/guest.ts';
import { newTeam, type Team } from '../support/team.ts';

const how = hasChromium ? 'in Chromium' : 'over HTTP, since there is no Chromium here';

let browser: Browser | undefined;
let team: Team;
let link: (email: string) => string;

beforeAll(async () => {
  browser = await openChromium();
  team = await newTeam();
  const people = ['ann', 'bob', 'long-name-'.repeat(6)].map((name) => ({ email: `${name}@example.com` }));
  const { campaign } = await readyCampaign(team, people);
  await team.api('POST', `/campaigns/${campaign}/send`);
  await finished(team, campaign);
  const messages = await messagesOf(team, campaign);
  link = (email) => messages.get(email)!.headers['List-Unsubscribe']!.slice(1, -1);
});
afterAll(() => browser?.close());

const statusOf = async (email: string) => (await team.api('GET', `/contacts/${email}`)).body.data.status;

it(`asks first, and unsubscribes by the button (${how})`, async () => {
  const guest = await newGuest(browser);
  await guest.open(link('ann@example.com'));
  expect(await guest.title()).toBe('Unsubscribe?');
  expect(await guest.text()).toContain('ann@example.com');
  expect(await statusOf('ann@example.com')).toBe('active');
  await guest.send();
  expect(await guest.title()).toBe('You are unsubscribed');
  expect(await guest.html()).not.toContain('<form');
  expect(await statusOf('ann@example.com')).toBe('unsubscribed');
  await guest.open(link('ann@example.com'));
  expect(await guest.title()).toBe('You are unsubscribed');
  expect(await statusOf('bob@example.com')).toBe('active');
});

it(`fits on a phone with a very long address (${how})`, async () => {
  const long = `${'long-name-'.repeat(6)}@example.com`;
  const guest = await newGuest(browser);
  await guest.open(link(long));
  expect(await guest.text()).toContain(long);
});

it(`explains an incomplete link (${how})`, async () => {
  const guest = await newGuest(browser);
  await guest.open(link('bob@example.com').slice(0, -3));
  expect(await guest.title()).toBe('This link is not complete');
  expect(await guest.html()).not.toContain('<form');
  expect(await statusOf('bob@example.com')).toBe('active');
});
