import { describe, expect, it } from 'vitest';
import { contrast } from '../../../shared/domain/messages/colors.ts';
import { hasUnsubscribeTag } from '../../../shared/domain/messages/merge-tags.ts';
import { contentFindings } from '../../../shared/domain/messages/screening.ts';
import { starterHtml, starterTemplates } from '../../../shared/domain/messages/starter-templates.ts';
import { plainText } from '../../../shared/flows/messages/plain-text.ts';

const starters = await Promise.all(
  starterTemplates.map(async (template) => ({ ...template, html: await starterHtml(template) })),
);

it('there are five, with ids 1 to 5', () => {
  expect(starters.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(starters.map(({ category }) => category)).size).toBe(5);
});

describe.each(starters)('the template $name', ({ html, preview }) => {
  it('can be sent unchanged: an unsubscribe link, the postal address, nothing for screening to find', () => {
    expect(hasUnsubscribeTag(html)).toBe(true);
    expect(html).toContain('Your Company, 123 Example Street');
    expect(contentFindings({ html_content: html })).toEqual([]);
  });

  it('is shown whole: under the 102 KB at which Gmail clips, without images or fonts to load', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(30_000);
    expect(html).not.toMatch(/<img|url\(|@import|@font-face|<link/);
  });

  it('is accessible: language, title, one main heading, no skipped level, layout tables marked', () => {
    expect(html).toMatch(/<html lang="en"/);
    expect(html).toMatch(/<title>[^<]+<\/title>/);
    const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    expect(html.match(/<table(?![^>]*role="presentation")/g)).toBeNull();
  });

  it('is readable in dark mode', () => {
    expect(html).toContain('<meta name="color-scheme" content="light dark" />');
    const [, rules = ''] = html.split('@media (prefers-color-scheme: dark)');
    for (const [, color = ''] of rules.matchAll(/> div \{ color: (#[0-9a-f]{6})/g))
      expect(contrast(color, '#1b1f25')).toBeGreaterThan(4.5);
  });

  it('has a preview, tags with fallbacks, and a text alternative with its links', async () => {
    expect(html.indexOf(preview)).toBeGreaterThan(0);
    expect(html).toMatch(/\{\{first_name \| default: "\w+"\}\}/);
    const text = await plainText(html);
    expect(text).toContain('{{unsubscribe_url}}');
    expect(text).toContain('{{first_name | default: ');
    expect(text).toContain('https://example.com/');
    expect(text).not.toMatch(/<|mwslot|undefined/);
  });
});
