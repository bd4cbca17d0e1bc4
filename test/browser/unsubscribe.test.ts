import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, messagesOf, readyCampaign } from '../support/campaign.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { newTeam, type Team } from '../support/team.ts';

const how = hasChromium ? 'in Chromium' : 'over HTTP, since there is no Chromium here';

/** What a person sees of a page and can do on it. */
interface Visit {
  title: string;
  text: string;
  /** Presses the page's only button; undefined where there is none. */
  press: (() => Promise<Visit>) | undefined;
}

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

/** Opens a page as a person does; notes what the browser complains of. */
async function open(url: string, complaints: string[]): Promise<Visit> {
  if (!browser) return readAnswer(url, await fetch(url));
  const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  const look = async (): Promise<Visit> => {
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    if (wide) complaints.push('is wider than a phone');
    const buttons = await page.getByRole('button').all();
    const press = async () => {
      await Promise.all([page.waitForEvent('load'), buttons[0]!.click()]);
      return look();
    };
    return {
      title: await page.title(),
      text: await page.locator('main').innerText(),
      press: buttons.length === 1 ? press : undefined,
    };
  };
  return look();
}

async function readAnswer(url: string, response: Response): Promise<Visit> {
  const html = await response.text();
  const press = async () => readAnswer(url, await fetch(url, { method: 'POST', body: new URLSearchParams() }));
  return {
    title: /<title>(.*?)<\/title>/.exec(html)![1]!,
    text: /<main>(.*)<\/main>/s.exec(html)![1]!.replace(/<[^>]*>/g, ' '),
    press: html.includes('<form method="post"><button') ? press : undefined,
  };
}

const statusOf = async (email: string) => (await team.api('GET', `/contacts/${email}`)).body.data.status;

it(`asks first, and unsubscribes who presses the button (${how})`, async () => {
  const complaints: string[] = [];
  const asking = await open(link('ann@example.com'), complaints);
  expect(asking).toMatchObject({ title: 'Unsubscribe?', press: expect.any(Function) });
  expect(asking.text).toContain('ann@example.com');
  expect(await statusOf('ann@example.com')).toBe('active');
  const done = await asking.press!();
  expect(done).toMatchObject({ title: 'You are unsubscribed', press: undefined });
  expect(await statusOf('ann@example.com')).toBe('unsubscribed');
  expect(await open(link('ann@example.com'), complaints)).toMatchObject({ title: 'You are unsubscribed' });
  expect(await statusOf('bob@example.com')).toBe('active');
  expect(complaints).toEqual([]);
});

it(`fits on a phone, however long the address is (${how})`, async () => {
  const complaints: string[] = [];
  const long = `${'long-name-'.repeat(6)}@example.com`;
  expect((await open(link(long), complaints)).text).toContain(long);
  expect(complaints).toEqual([]);
});

it(`says what to do with a link that was cut (${how})`, async () => {
  const cut = await open(link('bob@example.com').slice(0, -3), []);
  expect(cut).toMatchObject({ title: 'This link is not complete', press: undefined });
  expect(await statusOf('bob@example.com')).toBe('active');
});
