import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { idle } from '../support/campaign.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { newGuest } from '../support/guest.ts';
import { control, newTeam, type Team } from '../support/team.ts';

const how = hasChromium ? 'in Chromium' : 'over HTTP, since there is no Chromium here';
const email = `${'a-long-name-'.repeat(5)}@example.com`;

let browser: Browser | undefined;
let team: Team;
let link: string;

beforeAll(async () => {
  browser = await openChromium();
  team = await newTeam();
  const { body } = await team.api('POST', '/lists', { name: 'News', opt_in_mode: 'double' });
  await team.api('POST', '/contacts', { email, list_ids: [body.data.id] });
  await idle(inject('origin'), team);
  const messages = (await control('GET', `/messages?to=${email}`)).body.data;
  [link] = messages[0].text.match(/http\S+\/confirm\/\S+/);
});
afterAll(() => browser?.close());

const status = async () => (await team.api('GET', `/contacts/${email}`)).body.data.status;

it(`asks first, confirms by the button, and shows it later (${how})`, async () => {
  const guest = await newGuest(browser);
  await guest.open(link);
  expect(await guest.title()).toBe('Confirm your subscription?');
  expect(await guest.text()).toContain(email);
  expect(await status()).toBe('pending');
  await guest.send();
  expect(await guest.title()).toBe('Your subscription is confirmed');
  expect(await guest.html()).not.toContain('<form');
  expect(await status()).toBe('active');
  await guest.open(link);
  expect(await guest.title()).toBe('Your subscription is confirmed already');
  expect(await guest.html()).not.toContain('<form');
});

it(`explains an incomplete link (${how})`, async () => {
  const guest = await newGuest(browser);
  await guest.open(link.slice(0, -3));
  expect(await guest.title()).toBe('This link does not work');
  expect(await guest.html()).not.toContain('<form');
});
