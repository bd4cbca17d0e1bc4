import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, messagesOf, readyCampaign } from '../support/campaign.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { newTeam, type Team } from '../support/team.ts';
import { visit } from '../support/visit.ts';

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

it(`asks first, and unsubscribes who presses the button (${how})`, async () => {
  const complaints: string[] = [];
  const asking = await visit(browser, link('ann@example.com'), complaints);
  expect(asking).toMatchObject({ title: 'Unsubscribe?', press: expect.any(Function) });
  expect(asking.text).toContain('ann@example.com');
  expect(await statusOf('ann@example.com')).toBe('active');
  const done = await asking.press!();
  expect(done).toMatchObject({ title: 'You are unsubscribed', press: undefined });
  expect(await statusOf('ann@example.com')).toBe('unsubscribed');
  expect(await visit(browser, link('ann@example.com'), complaints)).toMatchObject({ title: 'You are unsubscribed' });
  expect(await statusOf('bob@example.com')).toBe('active');
  expect(complaints).toEqual([]);
});

it(`fits on a phone, however long the address is (${how})`, async () => {
  const complaints: string[] = [];
  const long = `${'long-name-'.repeat(6)}@example.com`;
  expect((await visit(browser, link(long), complaints)).text).toContain(long);
  expect(complaints).toEqual([]);
});

it(`says what to do with a link that was cut (${how})`, async () => {
  const cut = await visit(browser, link('bob@example.com').slice(0, -3));
  expect(cut).toMatchObject({ title: 'This link is not complete', press: undefined });
  expect(await statusOf('bob@example.com')).toBe('active');
});
