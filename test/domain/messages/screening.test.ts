import { expect, it } from 'vitest';
import { contentFindings } from '../../../shared/domain/messages/screening.ts';

it.each([
  '<a href="https://shop.example/offer">Our offer</a>',
  '<a href="https://www.shop.example">shop.example</a>',
  '<a href="https://shop.example">www.shop.example</a>',
  '<a href="https://news.shop.example/x">shop.example</a>',
  '<a href="https://shop.example">https://shop.example/offer</a>',
  '<a href="mailto:ann@shop.example">ann@shop.example</a>',
  '<a href="{{unsubscribe_url}}">Unsubscribe</a>',
  '<a href="#top">Top</a>',
  '<a name="x">shop.example</a>',
  '<a href="https://shop.example"><img src="https://cdn.example/x.png"></a>',
  '<a href="https://shop.example">Version 2.0 is out, e.g. today</a>',
  '<a href="https://shop.example/report">report.pdf</a>',
  '<a href="https://shop.example/report">Download Report.2026.PDF (2 MB)</a>',
  '<a href="https://docs.example">README.md and Node.js</a>',
  '<abbr href="http://10.0.0.1">x</abbr>',
  'Pay at http://shop.example',
])('passes %s', (html) => {
  expect(contentFindings({ html_content: html })).toEqual([]);
});

it.each([
  ['<a href="http://203.0.113.9/login">Log in</a>', 'raw IP'],
  ["<A HREF='http://203.0.113.9'>x</A>", 'raw IP'],
  ['<a href=http://203.0.113.9>x</a>', 'raw IP'],
  ['<a href="http://[2001:db8::1]/">x</a>', 'raw IP'],
  ['<a href="http://3405803785/">x</a>', 'raw IP'],
  ['<a href="http&#58;//203.0.113.9/">x</a>', 'raw IP'],
  ['<a title="1 > 0" href="http://203.0.113.9/">x</a>', 'raw IP'],
  ['<a\nhref="http://203.0.113.9/">never closed', 'raw IP'],
  ['<html><body>Clean</body></html><a href="http://203.0.113.9/">x</a>', 'raw IP'],
  ["<a ' href='http://203.0.113.9/'>x</a>", 'raw IP'],
  ['<div hidden><a href="http://203.0.113.9/">x</a></div>', 'raw IP'],
  ['<table><tr><td><a href="http://203.0.113.9/">x</a></td></tr></table>', 'raw IP'],
  ['<area href="http://203.0.113.9/">', 'raw IP'],
  ['<a href="https://bit.ly/x">x</a>', 'shortener'],
  ['<a href="https://www.TinyURL.com/x">x</a>', 'shortener'],
  ['<a href="https://evil.example/x">bank.example</a>', 'bank.example but leads to evil.example'],
  ['<a href="https://bank.example.evil.example">bank.example</a>', 'leads to bank.example.evil.example'],
  ['<a href="https://notbank.example">bank.example</a>', 'leads to notbank.example'],
  ['<a href="https://evil.example">Go to <b>https://bank.example/login</b></a>', 'names bank.example'],
  ['<a href="https://evil.example">bank&#46;example</a>', 'names bank.example'],
  ['<a href="https://evil.example">statement.pdf at bank.example</a>', 'names bank.example'],
  ['<a href="https://evil.example">https://files.zip/x</a>', 'names files.zip'],
])('holds %s', (html, finding) => {
  expect(contentFindings({ html_content: html }).join()).toContain(finding);
});

it('holds content that is nested too deeply to be read', () => {
  expect(contentFindings({ html_content: '<div>'.repeat(36_000) })).toEqual(['elements nested too deeply to be read']);
  expect(contentFindings({ html_content: '<a href="https://shop.example">'.repeat(7_000) })).toHaveLength(1);
});

it.each(['a-', 'a.', '1.', 'a'])(
  'reads the longest link text, %s repeated, once and not from each of its words',
  (part) => {
    const text = part.repeat(180_000 / part.length);
    expect(contentFindings({ html_content: `<a href="https://shop.example">${text}</a>` })).toEqual([]);
  },
);

it('names each finding once', () => {
  const link = '<a href="https://bit.ly/x">x</a>';
  expect(contentFindings({ html_content: `${link}${link}<a href="http://203.0.113.9">y</a>` })).toHaveLength(2);
});

it.each([
  ['Log in: http://203.0.113.9/login', 'a link to a raw IP address: 203.0.113.9'],
  ['See https://bit.ly/x, soon', 'a link through a URL shortener: bit.ly'],
])('holds the text %s', (plain_content, finding) => {
  expect(contentFindings({ plain_content })).toEqual([finding]);
  expect(contentFindings({ html_content: '<p>Clean</p>', plain_content })).toEqual([finding]);
});

it('passes a text with ordinary links', () => {
  expect(contentFindings({ plain_content: 'Read https://shop.example/a?b=c and {{unsubscribe_url}}.' })).toEqual([]);
});
