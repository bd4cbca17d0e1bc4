import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { catalogue, webhookPayloads } from '../../functions/catalogue.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';
import { newGuest } from '../support/guest.ts';
import { call } from '../support/team.ts';

const how = hasChromium ? 'in Chromium' : 'over HTTP, since there is no Chromium here';
const sections = [...Object.keys(catalogue), 'webhook-events'];
const ids = Object.values(catalogue).flatMap((folder) => Object.keys(folder));
const docs = (rest = '') => `${inject('origin')}/docs${rest}`;

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser?.close());

it(`is readable on a phone in light and dark, and searchable by keyboard without JavaScript (${how})`, async () => {
  const guest = await newGuest(browser);
  await guest.open(docs());
  expect(await guest.title()).toBe('API reference · Mailwright');
  await guest.type('Search', 'variants');
  await guest.send();
  expect(guest.url()).toBe(docs('?q=variants'));
  expect(await guest.text()).toContain('/campaigns/{campaign}/report/variants');
  await guest.open(docs('/campaigns'));
  expect(await guest.text()).toContain('/campaigns/{campaign}/report/variants');
  await guest.open(docs('/webhook-events'));
});

it('links to every endpoint and event type, with no dead link', async () => {
  const { body: start } = await call(docs());
  const pages = new Map<string, string>();
  for (const section of sections) pages.set(section, (await call(docs(`/${section}`))).body);
  const links = [...start.matchAll(/href="\/docs\/([\w-]+)#(\w+)"/g)].map(([, section, id]) => ({ section, id }));
  expect(links).toHaveLength(ids.length + webhookPayloads.length);
  for (const { section, id } of links) expect(pages.get(section)).toContain(`id="${id}"`);
  for (const [section, html] of pages) {
    const places = [...html.matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id);
    expect(new Set(places).size, section).toBe(places.length);
    for (const [, id] of html.matchAll(/href="#(\w+)"/g)) expect(places, section).toContain(id);
    expect(html.length, section).toBeLessThan(200_000);
  }
});

it('shows scope, fields, a request to this address, the response and the errors of an endpoint', async () => {
  const { headers, body } = await call(docs('/contacts'));
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  const [section] = /<section aria-labelledby="upsertContact">.*?<\/section>/s.exec(body)!;
  for (const part of [
    'needs <code>contacts:write</code>',
    '<code>email</code> <span class="type">string (email)</span> <span class="required">required</span>',
    '<code>status_if_new</code>',
    `curl -X POST &#34;${inject('origin')}/v1/contacts&#34;`,
    '&#34;soft_bounce_count&#34;: 0',
    'href="#Contact"',
    '<code>409</code>',
  ])
    expect(section).toContain(part);
});

it.each([
  ['status_if_new', 'upsertContact'],
  ['SHARE  report', 'shareCampaignReport'],
  ['contacts:write erase', 'eraseContact'],
  ['email.bounced', 'onEmailBounced'],
])('finds by %j what has all of it in its names', async (words, id) => {
  const { body } = await call(docs(`?q=${encodeURIComponent(words)}`));
  expect(body).toContain(`#${id}"`);
});

it('reports an empty search, escapes the query, and answers 404 for an unknown section', async () => {
  const { status, body } = await call(docs(`?q=${encodeURIComponent('"><script>alert(1)</script> {{x}} %')}`));
  expect(status).toBe(200);
  expect(body).toContain('0 entries have');
  expect(body).not.toContain('<script');
  expect((await call(docs('/nothing'))).status).toBe(404);
  expect((await call(docs('/constructor'))).status).toBe(404);
});
