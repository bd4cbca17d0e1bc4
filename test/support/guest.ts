import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A visitor with a phone, a keyboard and no JavaScript; plain HTTP on machines without a browser. */
export interface Guest {
  open(url: string): Promise<void>;
  /** Replaces the text of the field with this label. */
  type(label: string, text: string): Promise<void>;
  /** Submits the page's form and loads the next page. */
  send(): Promise<void>;
  url(): string;
  title(): Promise<string>;
  text(): Promise<string>;
  /** The page's current source. */
  html(): Promise<string>;
}

/**
 * Creates a guest. In a browser, it checks that every page fits a phone, is readable in light and dark mode, loads
 * nothing from other origins, and shows the keyboard's focus.
 */
export function newGuest(browser: Browser | undefined): Promise<Guest> {
  return browser ? inBrowser(browser) : Promise.resolve(overHttp());
}

/** Runs in the page: elements whose text has a contrast below 4.5 with its background. */
const faint = `(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => parts(color).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return parts(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const texts = [...document.querySelectorAll('main *')]
    .filter((element) => element.tagName === 'INPUT' ? element.type !== 'hidden' : hasText(element));
  return texts.filter((element) => {
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5;
  }).map((element) => element.outerHTML);
})()`;

async function inBrowser(browser: Browser): Promise<Guest> {
  const context = await browser.newContext({ viewport: { width: 360, height: 640 }, javaScriptEnabled: false });
  const page = await context.newPage();
  const complaints: string[] = [];
  let origin = '';
  page.on('console', (message) => {
    // The browser logs the expected 4xx responses of refused forms and broken links.
    if (!/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`requests ${request.url()}`);
  });
  const look = async () => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(faint), `${page.url()} ${colorScheme}`).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), page.url()).toBe(true);
    expect(complaints).toEqual([]);
  };
  return {
    async open(url) {
      origin = new URL(url).origin;
      await page.goto(url);
      await look();
    },
    async type(label, text) {
      await tabTo(page, page.getByLabel(label));
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
    async send() {
      await tabTo(page, page.getByRole('button'));
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
      await look();
    },
    url: () => page.url(),
    title: () => page.title(),
    text: () => page.locator('main').innerText(),
    html: () => page.content(),
  };
}

/** Moves to an element by the Tab key, and checks that its focus is visible. */
async function tabTo(page: Page, target: ReturnType<Page['locator']>): Promise<void> {
  const there = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let steps = 0; !(await there()); steps++) {
    expect(steps, 'tabs to reach the element').toBeLessThan(10);
    await page.keyboard.press('Tab');
  }
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
}

function overHttp(): Guest {
  let [at, html] = ['', ''];
  const fields = new Map<string, string>();
  const attribute = (tag: string, name: string) => decode(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
  const load = async (url: string, body?: URLSearchParams) => {
    const response = await fetch(url, { method: body ? 'POST' : 'GET', body });
    [at, html] = [response.url, await response.text()];
    fields.clear();
    for (const [tag] of html.matchAll(/<input [^>]*>/g)) fields.set(attribute(tag, 'name'), attribute(tag, 'value'));
  };
  return {
    open: (url) => load(url),
    async type(label, text) {
      const [, name] = new RegExp(`<label for="(\\w+)">${label}`).exec(html)!;
      fields.set(name!, text);
    },
    send() {
      const [form] = /<form[^>]*>/.exec(html)!;
      const given = new URLSearchParams([...fields]);
      if (form.includes('method="post"')) return load(at, given);
      return load(new URL(`${attribute(form, 'action')}?${given}`, at).href);
    },
    url: () => at,
    title: async () => decode(/<title>(.*?)<\/title>/.exec(html)![1]!),
    text: async () => decode(/<main[^>]*>(.*)<\/main>/s.exec(html)![1]!.replace(/<[^>]*>/g, ' ')),
    html: async () => html,
  };
}

const decode = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
