import { describe, expect, it } from 'vitest';
import { linkTemplates, templateOf } from '../../../shared/domain/messages/link-templates.ts';

const html = `
  <a href="https://shop.example/?u={{email}}&amp;c=1">a</a>
  <a class=x HREF='https://shop.example/news?utm=mail#top'>b</a>
  <a href="https://shop.example/{{ metadata.shop | default: "all" }}/{{metadata.page | default: 'x'}}.html">c</a>
  <a href=https://shop.example/u/{{email}}>d</a> <a href="{{unsubscribe_url}}">e</a>
  <a href="https://shop.example/&#120;&#x79;?a=1">f</a>`;
const links = linkTemplates(html, 'Or https://text.example/?me={{email}} now');

describe('the link that was clicked', () => {
  it.each([
    ['https://shop.example/?u=ann@example.com&c=1', 'https://shop.example/?u={{email}}&c=1'],
    ['https://shop.example/?u=&c=1', 'https://shop.example/?u={{email}}&c=1'],
    ['https://shop.example/news?utm=mail#top', 'https://shop.example/news?utm=mail#top'],
    ['https://shop.example/all/p.html', 'https://shop.example/{{metadata.shop}}/{{metadata.page}}.html'],
    ['https://shop.example/u/ann@example.com', 'https://shop.example/u/{{email}}'],
    ['https://shop.example/xy?a=1', 'https://shop.example/xy?a=1'],
    ['https://text.example/?me=ann@example.com', 'https://text.example/?me={{email}}'],
  ])('%s is %s', (url, template) => {
    expect(templateOf(url, links)).toBe(template);
  });

  it.each([
    ['https://other.example/a?u=ann@example.com#x', 'https://other.example/a'],
    ['https://other.example/ann%40example.com/a?b', 'https://other.example'],
    ['ann@example.com', ''],
    ['', ''],
  ])('%s is of no message and is %s', (url, template) => {
    expect(templateOf(url, links)).toBe(template);
  });

  it('is the most specific one of those that it may be, and a part may not be read twice', () => {
    const two = linkTemplates('<a href="https://a.example/{{x}}"> <a href="https://a.example/b?{{x}}ab{{y}}ba">', null);
    expect(templateOf('https://a.example/b?1ab2ba', two)).toBe('https://a.example/b?{{x}}ab{{y}}ba');
    expect(templateOf('https://a.example/b?1aba', two)).toBe('https://a.example/{{x}}');
  });

  it('is found for a long link beside many others in a moment', () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `<a href="https://a.example/{{x}}a{{y}}a${index}b">`);
    const found = linkTemplates(many.join(''), null);
    expect(found.merged).toHaveLength(500);
    expect(templateOf(`https://a.example/${'a'.repeat(2_000)}?q`, found)).toBe(
      `https://a.example/${'a'.repeat(2_000)}`,
    );
  });
});
