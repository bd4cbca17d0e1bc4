import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { control, newTeam, type Team } from '../support/team.ts';
import { visit } from '../support/visit.ts';

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
  await control('GET', '/idle?timeout_ms=60000');
  const messages = (await control('GET', `/messages?to=${email}`)).body.data;
  [link] = messages[0].text.match(/http\S+\/confirm\/\S+/);
});
afterAll(() => browser?.close());

const status = async () => (await team.api('GET', `/contacts/${email}`)).body.data.status;

it(`asks first, confirms who presses the button, and knows it later (${how})`, async () => {
  const complaints: string[] = [];
  const asking = await visit(browser, link, complaints);
  expect(asking).toMatchObject({ title: 'Confirm your subscription?', press: expect.any(Function) });
  expect(asking.text).toContain(email);
  expect(await status()).toBe('pending');
  expect(await asking.press!()).toMatchObject({ title: 'Your subscription is confirmed', press: undefined });
  expect(await status()).toBe('active');
  const again = await visit(browser, link, complaints);
  expect(again).toMatchObject({ title: 'Your subscription is confirmed already', press: undefined });
  expect(complaints).toEqual([]);
});

it(`says what to do with a link that was cut (${how})`, async () => {
  expect(await visit(browser, link.slice(0, -3))).toMatchObject({ title: 'This link does not work', press: undefined });
});
