import { expect, it } from 'vitest';
import { contentFindings } from '../../../shared/domain/messages/screening.ts';
import { expectGrowth } from '../../support/growth.ts';

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
  '<a href="https://shop.example/{{metadata.path}}?of={{email}}">shop.example</a>',
  '<a href="https://shop.example?of={{email}}#{{metadata.part}}">Shop</a>',
  '<a href="{{ unsubscribe_url | default: "x" }}">Leave shop.example</a>',
  '<a href="mailto:{{metadata.advisor}}">Write to us</a>',
  '<a href="https://shop.example">Hello {{first_name | default: "you"}}. Here is the shop</a>',
  '<a href="https://shop.example./">shop.example.</a>',
  '<a href="//shop.example/x">shop.example</a>',
  '<a href="/offer">shop.example</a>',
  '<a href="HTTPS:\\\\SHOP.example\\x">shop.example</a>',
  '<a href="https://bücher.example">bücher.example</a>',
  '<a href="https://xn--bcher-kva.example">Unter bücher.example</a>',
  '<a href="https://shop.example">请访问shop.example查看</a>',
  '<a href="https://shop.example">Сегодня.Завтра</a>',
  '<a href="https://shop.example"><p>Only today.</p><p>Click here</p></a>',
  '<a href="https://shop.example">shop<!-- bank.example --></a>',
  '<a href="https://notbit.ly.shop.example/">x</a>',
  '<a href="https://youtu.be/x">The film</a>',
  '<a href="https://maps.app.goo.gl/x">How to find us</a>',
  ...['fb.me', 'amzn.to', 't.me', 'wa.me', 'g.page', 'apple.co', 'spoti.fi', 'photos.app.goo.gl', 'forms.gle'].map(
    (host) => `<a href="https://${host}/x">x</a>`,
  ),
  '<a href="https://shop.example">Only today.Shop now</a>',
  '<a href="https://shop.example">Hello.World</a>',
  '<a href="https://shop.example">Smart.Simple.Safe</a>',
  '<a href="https://shop.example">ENDS TODAY.SHOP NOW</a>',
  '<a href="https://shop.example">It is here.In the shop</a>',
  '<a href="https://shop.example">See shop.example.Now</a>',
  '<svg><title>Logo</title><style>a { color: red }</style></svg>',
  '<style>p { background: url("data:image/svg+xml;utf8,<svg><path/></svg>") }</style>',
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
  ['<a href="//203.0.113.9/x">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="http://203.0.113.9./">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="http://0xcb.0x0.0x71.0x9/">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="http://0313.0.0161.011/">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="http://２０３.0.113。9/">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="http:/\\203.0.113.9\\x">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="ht\ntp://203.0.\t113.9/">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="&#1; http://203.0.113.9/">x</a>', 'raw IP address: 203.0.113.9'],
  ['<base href="http://203.0.113.9/"><a href="offer">x</a>', 'raw IP address: 203.0.113.9'],
  ['<a href="https://bit.ly./x">x</a>', 'shortener: bit.ly'],
  ['<a href="https://b&#8203;it.ly/x">x</a>', 'shortener: bit.ly'],
  ['<a href="https://ⓑit．ly/x">x</a>', 'shortener: bit.ly'],
  ['<a href="https://promo.tinyurl.com/x">x</a>', 'shortener: promo.tinyurl.com'],
  ['<a href="https://shorturl.at/x">x</a>', 'shortener: shorturl.at'],
  ['<a href="https://bank.example@evil.example/">x</a>', 'user name before its host, which is evil.example'],
  ['<a href="https://bank.example:x@evil.example/">x</a>', 'user name before its host, which is evil.example'],
  ['<a href="https://evil.example">bank\u200b.exa\u00admple</a>', 'names bank.example'],
  ['<a href="https://evil.example">\u202ebank.\u2066example</a>', 'names bank.example'],
  ['<a href="https://evil.example">ｂａｎｋ．ｅｘａｍｐｌｅ</a>', 'names bank.example'],
  ['<a href="https://evil.example">bank<b>.</b>exam<span></span>ple</a>', 'names bank.example'],
  ['<a href="https://evil.example">bank<!-- x -->.example</a>', 'names bank.example'],
  ['<a href="https://evil.example">bank<i style="display: none">!</i>.example</a>', 'names bank.example'],
  ['<a href="https://evil.example">bank<s style="font-size:0">!</s>.example</a>', 'names bank.example'],
  ['<a href="https://evil.example">BANK.EXAMPLE.</a>', 'names bank.example'],
  ['<a href="https://evil.example">Log in at BANK.EXAMPLE</a>', 'names bank.example'],
  ['<a href="https://evil.example">LOG IN AT BANK.COM NOW</a>', 'names bank.com'],
  ['<a href="https://evil.example">Bank.Com</a>', 'names bank.com'],
  ['<a href="https://evil.example">Log in at Bank.De today</a>', 'names bank.de'],
  ['<a href="https://evil.example">Bank.It</a>', 'names bank.it'],
  ['<a href="https://evil.example">Go to Bank.Example/login</a>', 'names bank.example'],
  ['<a href="https://evil.example">WWW.Bank.Example</a>', 'names bank.example'],
  ['<a href="https://evil.example">Https://Bank.Example</a>', 'names bank.example'],
  ['<a href="https://evil.example">Ann@Bank.Example</a>', 'names bank.example'],
  ['<a href="https://evil.example">Hello.World from bank.example</a>', 'names bank.example'],
  ['<a href="https://evil.example">Go to bank.example.Log in</a>', 'names bank.example'],
  ['<a href="https://lnkd.in/x">x</a>', 'shortener: lnkd.in'],
  ['<a href="https://x.app.goo.gl/x">x</a>', 'shortener: x.app.goo.gl'],
  ['<a href="https://evil.example">bücher.example</a>', 'names bücher.example but leads to evil.example'],
  ['<a href="https://evil.example">https://банк.рф</a>', 'names банк.рф'],
  ['<a href="https://xn--bnk-5cd.example">bank.example</a>', 'names bank.example'],
  ['<a href="https://nk.example">bänk.example</a>', 'names bänk.example but leads to nk.example'],
  ['<a href="https://evil.example">банк.example</a>', 'names банк.example'],
  ['<a href="https://evil.example">bank.example.1</a>', 'names bank.example'],
  ['<a href="https://evil.example">{{x | default: "bank.example"}}</a>', 'names bank.example'],
  ['<a href="https://evil.example">bank{{x}}.example</a>', 'names bank.example'],
])('holds %s', (html, finding) => {
  expect(contentFindings({ html_content: html }).join()).toContain(finding);
});

it.each([
  'https://{{metadata.h}}/',
  'https://x.{{company}}.example',
  'https://shop.example{{path}}',
  'https://shop.example:{{port}}/',
  'https://{{user}}@shop.example/',
  'https:{{rest}}',
  'https:/{{rest}}/x',
  'http{{rest}}',
  '{{scheme}}://shop.example/',
  '//{{h}}/x',
  '/{{h}}',
  '\\\\{{h}}\\x',
  '{{metadata.link}}',
  ' \n{{metadata.link}}',
  'https://{{metadata.h | default: "shop.example"}}/',
  "https://{{metadata.h | default: 'shop.example'}}/",
  'https://{{{h}}}/',
])('holds a link whose host a merge tag makes: %s', (href) => {
  expect(contentFindings({ html_content: `<a href="${href}">x</a>` }).join()).toContain('merge tag');
});

it.each([
  ['https://{{no tag}}bit.ly/x', 'bit.ly'],
  ['{{x | default: "http://203.0.113.9/"}}', '203.0.113.9'],
  ['https://shop.example{{x | default: "@203.0.113.9"}}/', '203.0.113.9'],
])('reads %s as it is sent to a contact without values', (href, host) => {
  expect(contentFindings({ html_content: `<a href="${href}">x</a>` }).join()).toContain(host);
});

it('reads links within links in linear time', () => {
  const nested = (length: number) => ({ html_content: '<a href="https://a.example">a'.repeat(length / 28) });
  expectGrowth((length) => () => contentFindings(nested(length)), 56_000);
});

it('holds content that is nested too deeply to be read', () => {
  expect(contentFindings({ html_content: '<div>'.repeat(36_000) })).toEqual(['elements nested too deeply to be read']);
  expect(contentFindings({ html_content: '<a href="//b.example">'.repeat(11_000) })).toHaveLength(1);
});

it.each(['a-', 'a.', '1.', 'a', 'ä.', 'ä', '\u200b', '.'])(
  'reads the longest link text, %s repeated, once and not from each of its words',
  (part) => {
    const text = part.repeat(180_000 / part.length);
    expect(contentFindings({ html_content: `<a href="https://shop.example">${text}</a>` })).toEqual([]);
  },
);

it.each(['{{<a href="http://203.0.113.9/">x</a>}}', '{{x | default: \'<a href="http://203.0.113.9/">x</a>\'}}'])(
  'reads content whose tags are merged as it is: %s',
  (html_content) => {
    expect(contentFindings({ html_content }, 'merged')).toEqual(['a link to a raw IP address: 203.0.113.9']);
  },
);

it.each(['{{unsubscribe_url.x}}', '{{unsubscribe_url-x}}', '{{unsubscribe_urls}}'])(
  'takes %s for no unsubscribe link of ours',
  (href) => {
    expect(contentFindings({ html_content: `<a href="${href}">x</a>` })).toEqual([
      `a link whose host a merge tag makes: ${href}`,
    ]);
  },
);

it.each([
  '<!--[if mso]><a href="http://203.0.113.9/">x</a><![endif]-->',
  '<svg><a xlink:href="http://203.0.113.9/"><text>x</text></a></svg>',
  '<!--[if mso]><v:roundrect href="http://203.0.113.9/">x</v:roundrect><![endif]-->',
  '<form action="http://203.0.113.9/"></form>',
  '<button formaction="http://203.0.113.9/">x</button>',
])('finds the link of %s', (html_content) => {
  expect(contentFindings({ html_content })).toEqual(['a link to a raw IP address: 203.0.113.9']);
});

it.each([
  '<!-- --!><a href="http://203.0.113.9/">x</a>',
  '<!-><a href="http://203.0.113.9/">x</a>-->',
  '<![CDATA[>x]]>',
  '<iframe><!--</iframe>x',
  '<math>x</math>',
  '<style></style/><a href="http://203.0.113.9/">x</a></style>',
  '<svg><style><a href="http://203.0.113.9/">x</a></style></svg>',
  '<svg><TITLE><A href="http://203.0.113.9/">x</a></title></svg>',
  '<svg><desc></svg></desc><style><a href="http://203.0.113.9/">x</a></style>',
  '<svg><textarea><a href="http://203.0.113.9/">x</a></textarea></svg>',
])('holds what mail programs read differently: %s', (html_content) => {
  expect(contentFindings({ html_content })).toContainEqual(expect.stringContaining('read differently'));
});

it('reads the text of an anchor without an address as that of the link around it', () => {
  const html_content = '<a href="https://evil.example"><table><td><a>bank.example</a></td></table></a>';
  expect(contentFindings({ html_content }).join()).toContain('names bank.example but leads to evil.example');
});

it('names each finding once', () => {
  const link = '<a href="https://bit.ly/x">x</a>';
  expect(contentFindings({ html_content: `${link}${link}<a href="http://203.0.113.9">y</a>` })).toHaveLength(2);
});

it('names no more than a campaign can store', () => {
  const links = Array.from({ length: 3_000 }, (_, index) => `<a href="https://evil.example">bank${index}.example</a>`);
  expect(contentFindings({ html_content: links.join('') })).toHaveLength(20);
});

it.each([
  ['Log in: http://203.0.113.9/login', 'a link to a raw IP address: 203.0.113.9'],
  ['See https://bit.ly/x, soon', 'a link through a URL shortener: bit.ly'],
  ['See (https://bit.ly).', 'a link through a URL shortener: bit.ly'],
  ['See https://bit.ly, soon', 'a link through a URL shortener: bit.ly'],
  ['See “https://bit.ly”', 'a link through a URL shortener: bit.ly'],
  ['See www.tinyurl.com/x', 'a link through a URL shortener: tinyurl.com'],
  ['See https://{{h}}/x', 'a link whose host a merge tag makes: https://{{h}}/x'],
  ['See {{x | default: "http://203.0.113.9/"}}', 'a link to a raw IP address: 203.0.113.9'],
])('holds the text %s', (plain_content, finding) => {
  expect(contentFindings({ plain_content })).toEqual([finding]);
  expect(contentFindings({ html_content: '<p>Clean</p>', plain_content })).toEqual([finding]);
});

it.each([
  '<a title={{metadata.x}}>Log in</a>',
  '<x_{{metadata.x}}>Log in</x>',
  '<a {{metadata.x}}>Log in</a>',
  '<a href="https://shop.example/"{{metadata.x}}>Log in</a>',
  '<a {{email}}>Log in</a>',
  '<a title={{email}}{{metadata.x}}>Log in</a>',
  '<a{{metadata.x}}>Log in</a>',
  '<{{metadata.x}}>Log in</a>',
  '<!--[if mso]><a {{metadata.x}}>Log in</a><![endif]-->',
])('holds a merge tag in markup, whose value can be a link: %s', (html_content) => {
  const finding = 'a merge tag in markup outside quotes, where a value can make a link of its own';
  expect(contentFindings({ html_content })).toEqual([finding]);
  expect(contentFindings({ html_content }, 'merged')).toEqual([]);
});

it.each([
  '<a href={{unsubscribe_url}}>Unsubscribe</a>',
  '<a href=https://shop.example/?u={{email}}>Shop</a>',
  `<td width="{{metadata.width}}" title='{{metadata.title | default: "x"}}'>5 < {{metadata.limit}}</td>`,
])('passes a merge tag whose value stays where it is: %s', (html_content) => {
  expect(contentFindings({ html_content })).toEqual([]);
});

it.each(['{{body}}', ' {{metadata.intro}}\n{{body | default: "-"}}!', '{{body}} {{unsubscribe_url}}'])(
  'holds a text that merge tags alone make, which nobody can review: %s',
  (plain_content) => {
    expect(contentFindings({ plain_content })).toEqual(['a text that only merge tags make']);
    expect(contentFindings({ plain_content }, 'merged')).toEqual([]);
  },
);

it.each(['', '{{unsubscribe_url}}', '–', 'Dear {{first_name}}', '{{first_name}}, 你好'])(
  'passes the text %j',
  (plain_content) => {
    expect(contentFindings({ plain_content })).toEqual([]);
  },
);

it('passes a text with ordinary links', () => {
  expect(
    contentFindings({ plain_content: 'Read https://shop.example/a?b={{email}}, and {{unsubscribe_url}}.' }),
  ).toEqual([]);
});
