import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { idle, type Message } from '../support/campaign.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { newGuest } from '../support/guest.ts';
import { call, newTeam, type Team } from '../support/team.ts';

const how = hasChromium ? 'in Chromium' : 'over HTTP, since there is no Chromium here';

let browser: Browser | undefined;
let team: Team;
beforeAll(async () => {
  [browser, team] = await Promise.all([openChromium(), newTeam()]);
});
afterAll(() => browser?.close());

const data: Team['data'] = (...request) => team.data(...request);

const newWaitlist = (fields: object = {}) => data('POST', '/waitlists', { name: 'Early access', ...fields });
const signUp = (waitlist: { id: number }, email: string) =>
  data('POST', `/waitlists/${waitlist.id}/signups`, { email });

/** The link of the button of a message sent to an address: the invitation, or the mail with its place. */
async function linkOf(email: string, what: 'invitation' | 'place'): Promise<string> {
  await idle(inject('origin'), team);
  const { body } = await call(`${inject('origin')}/_local/messages?to=${encodeURIComponent(email)}`);
  const label = what === 'invitation' ? 'Accept the invitation' : 'Confirm my address|Show my place';
  const texts = (body.data as Message[]).map(({ text }) => new RegExp(`(?:${label}): (\\S+)`).exec(text)?.[1]);
  return texts.find((link) => link !== undefined)!;
}

const invitation = (email: string) => linkOf(email, 'invitation');

it(`signs up by keyboard without JavaScript, sees position and link, and confirms a referral (${how})`, async () => {
  const waitlist = await newWaitlist({ description: 'One line.\nAnother.\n\nAnd a paragraph.' });
  await signUp(waitlist, 'first@example.com');
  const guest = await newGuest(browser);
  await guest.open(waitlist.public_url);
  expect(await guest.title()).toBe('Early access');
  const text = await guest.text();
  for (const part of ['A waitlist of Test', 'One line.', 'And a paragraph.']) expect(text).toContain(part);
  await guest.type('Email address', 'Guest@Example.com');
  await guest.type('Name', 'Ada');
  await guest.send();
  expect(await guest.title()).toBe('You are on the list');
  expect((await guest.text()).replace(/\s+/g, ' ')).toContain('Your place 2');
  const [signup] = await data('GET', `/waitlists/${waitlist.id}/signups`);
  expect(signup).toMatchObject({ email: 'guest@example.com', name: 'Ada', position: 2 });
  const link = `${waitlist.public_url}?ref=${signup.referral_code}`;
  expect(await guest.html()).toContain(`readonly="" value="${link}"`.replace('=""', browser ? '=""' : ''));

  // Signing up again shows nothing: it may be somebody else.
  const address = guest.url();
  await guest.open(waitlist.public_url);
  await guest.type('Email address', 'guest@example.com');
  await guest.send();
  expect(await guest.title()).toBe('Look into your inbox');
  expect(await guest.html()).not.toContain(signup.referral_code);

  const friend = await newGuest(browser);
  await friend.open(link);
  await friend.type('Email address', `friend-${waitlist.id}@example.com`);
  await friend.send();
  expect(await friend.title()).toBe('You are on the list');
  expect(await friend.text()).toContain('has a button that confirms it');
  const place = async () => {
    await guest.open(address);
    return /Your place \d+/.exec((await guest.text()).replace(/\s+/g, ' '))![0];
  };
  expect(await place()).toBe('Your place 2');
  await friend.open(await linkOf(`friend-${waitlist.id}@example.com`, 'place'));
  expect(await place()).toBe('Your place 2');
  await friend.send();
  expect(await friend.title()).toBe('You are on the list');
  expect(await place()).toBe('Your place 1');
});

it(`shows faults beside the field, and keeps the input and the referral code (${how})`, async () => {
  const waitlist = await newWaitlist();
  const { referral_code } = await signUp(waitlist, 'referrer@example.com');
  const guest = await newGuest(browser);
  await guest.open(`${waitlist.public_url}?ref=${referral_code}`);
  await guest.type('Name', 'Ada <i>"L"</i>');
  await guest.type('Email address', 'ada@nowhere');
  await guest.send();
  expect(await guest.title()).toBe('Error: Early access');
  expect(await guest.text()).toContain('Not a valid domain name.');
  const input = /<input id="email"[^>]*>/.exec(await guest.html())![0];
  const fault = /aria-describedby="([^"]+)"/.exec(input)![1]!;
  expect(input).toMatch(/aria-invalid="true".* autofocus/);
  expect(await guest.html()).toMatch(new RegExp(`id="${fault}">Not a valid`));
  await guest.type('Email address', `ada-${waitlist.id}@example.com`);
  await guest.send();
  expect(await guest.title()).toBe('You are on the list');
  await guest.open(await linkOf(`ada-${waitlist.id}@example.com`, 'place'));
  await guest.send();
  const [ada, referrer] = await data('GET', `/waitlists/${waitlist.id}/signups`);
  expect([ada.name, referrer.referrals_count]).toEqual(['Ada <i>"L"</i>', 1]);
});

it(`escapes names and descriptions of any length, and ignores an unknown referral code (${how})`, async () => {
  const name = `<script>alert(1)</script> & ${'Verylongname'.repeat(12)}`;
  const waitlist = await newWaitlist({ name, description: '<b>bold</b> "quoted"' });
  const guest = await newGuest(browser);
  await guest.open(`${waitlist.public_url}?ref=%22%3E%3Cb%3E`);
  expect(await guest.title()).toBe(name);
  expect(await guest.text()).toContain('<b>bold</b> "quoted"');
  expect(await guest.html()).not.toMatch(/<script|<b>/);
  const email = `${'long.'.repeat(12)}x@${'sub.'.repeat(20)}example.com`;
  await guest.type('Email address', email);
  await guest.send();
  expect(await guest.text()).toContain('<script>alert(1)</script>');
  await data('POST', `/waitlists/${waitlist.id}/invite`, { count: 1 });
  await guest.open(await invitation(email));
  expect(await guest.text()).toContain(email);
});

it(`lets invited signups join only by the button of their message (${how})`, async () => {
  const waitlist = await newWaitlist();
  const email = `invited-${waitlist.id}@example.com`;
  const guest = await newGuest(browser);
  await guest.open(waitlist.public_url);
  await guest.type('Email address', email);
  await guest.send();
  const own = guest.url();
  await data('POST', `/waitlists/${waitlist.id}/invite`, { count: 1 });
  const status = async () => (await signUp(waitlist, email)).status;
  const link = await invitation(email);
  await guest.open(own);
  expect(await guest.title()).toBe('You are invited');
  expect(await guest.html()).not.toContain('<button');
  await call(own, 'POST');
  await guest.open(link);
  expect(await guest.title()).toBe('You are invited to Early access');
  expect(await status()).toBe('invited');
  await guest.send();
  expect(await guest.title()).toBe('You have joined Early access');
  expect(await status()).toBe('joined');
  // Pressing twice joins once.
  expect((await call(link, 'POST')).headers.get('location')).toBe(new URL(link).pathname);
  await guest.open(own);
  expect(await guest.title()).toBe('You have joined Early access');
});

it(`redirects to the team's invite_url after joining (${how})`, async () => {
  // Another origin, as a team's address is.
  const invite_url = 'https://welcome.example/start?from=list';
  const waitlist = await newWaitlist({ invite_url });
  const email = `led-${waitlist.id}@example.com`;
  await signUp(waitlist, email);
  await data('POST', `/waitlists/${waitlist.id}/invite`, { count: 1 });
  const link = await invitation(email);
  const answer = await call(link, 'POST');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, invite_url]);
  expect((await call(link)).body).toContain(`href="${invite_url}"`);

  const other = `browser-${waitlist.id}@example.com`;
  await signUp(waitlist, other);
  await data('POST', `/waitlists/${waitlist.id}/invite`, { count: 1 });
  const page = await browser?.newPage();
  if (!page) return;
  await page.goto(await invitation(other));
  // The browser follows the redirect; the page's security policy does not stop it.
  const [request] = await Promise.all([page.waitForEvent('requestfailed'), page.getByRole('button').click()]);
  expect([request.url(), request.failure()!.errorText]).toEqual([invite_url, expect.not.stringContaining('CSP')]);
});

it(`explains a removed signup, a closed waitlist and an incomplete link (${how})`, async () => {
  const waitlist = await newWaitlist();
  const guest = await newGuest(browser);
  await guest.open(waitlist.public_url);
  await guest.type('Email address', 'state@example.com');
  await guest.send();
  const own = guest.url();
  const title = async (url: string) => {
    await guest.open(url);
    return guest.title();
  };
  await data('PATCH', `/waitlists/${waitlist.id}`, { status: 'closed' });
  await guest.open(waitlist.public_url);
  expect(await guest.text()).toContain('This waitlist is closed');
  expect(await guest.html()).not.toContain('<form');
  const late = new URLSearchParams({ email: 'late@example.com' });
  expect((await fetch(waitlist.public_url, { method: 'POST', body: late })).status).toBe(422);
  expect(await title(own)).toBe('You are on the list');
  const [{ id }] = await data('GET', `/waitlists/${waitlist.id}/signups`);
  await data('DELETE', `/waitlists/${waitlist.id}/signups/${id}`);
  expect(await title(own)).toBe('You are not on this list');
  // The status page keeps working when the slug changes.
  await data('PATCH', `/waitlists/${waitlist.id}`, { slug: `${waitlist.slug}-new`, status: 'active' });
  expect(await title(own)).toBe('You are not on this list');
  for (const url of [waitlist.public_url, own.slice(0, -3), `${waitlist.public_url}/x`, `${inject('origin')}/w/..%2F`])
    expect((await call(url)).status).toBe(404);
});
