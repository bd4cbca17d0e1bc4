import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contrast } from '../../shared/domain/messages/colors.ts';
import { starterHtml, starterTemplates } from '../../shared/domain/messages/starter-templates.ts';
import { hasChromium, openChromium } from '../support/chromium.ts';

const how = hasChromium ? 'in Chromium' : 'by its style sheet, since there is no Chromium here';
const screens = [360, 700].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })));

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser?.close());

/** The texts of a page with their colors and backgrounds, as a browser computes them. */
const readText = `(() => {
  const two = (part) => Number(part).toString(16).padStart(2, '0');
  const hex = (color) => '#' + color.match(/[\\d.]+/g).slice(0, 3).map(two).join('');
  const fills = (element) => !/, 0\\)|transparent/.test(getComputedStyle(element).backgroundColor);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.replaceAll('\\u200b', '').trim();
    if (!text || !element.checkVisibility()) continue;
    let behind = element;
    while (behind.parentElement && !fills(behind)) behind = behind.parentElement;
    const style = getComputedStyle(element);
    const background = hex(getComputedStyle(behind).backgroundColor);
    found.push({ text, color: hex(style.color), behind: background, size: parseFloat(style.fontSize) });
  }
  return found;
})()`;

it.each(starterTemplates.flatMap((template) => screens.map((screen) => ({ ...template, ...screen }))))(
  `$name can be read on a screen of $width px, $scheme, ${how}`,
  async ({ width, scheme, ...template }) => {
    const html = await starterHtml(template);
    const page = await browser?.newPage({ viewport: { width, height: 640 }, colorScheme: scheme });
    if (!page) {
      expect(html).toContain('@media only screen and (max-width: 599px)');
      expect(html).toContain('@media (prefers-color-scheme: dark)');
      return;
    }
    await page.route('**', (route) => route.abort());
    await page.setContent(html);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const found = (await page.evaluate(readText)) as { text: string; color: string; behind: string; size: number }[];
    expect(found.length).toBeGreaterThan(10);
    const faint = found.filter(({ color, behind }) => contrast(color, behind) < 4.5);
    expect(faint).toEqual([]);
    expect(Math.min(...found.map(({ size }) => size))).toBeGreaterThanOrEqual(13);
    expect(found.some(({ size }) => size === 16)).toBe(true);
    await page.close();
  },
);
