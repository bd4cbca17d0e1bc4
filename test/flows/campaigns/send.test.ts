import { beforeAll, describe, expect, inject, it } from 'vitest';
import { everyRow, finished, idle, type Message, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { call, newTeam, type Team } from '../../support/team.ts';

const footer = '<p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';

async function send(team: Team, campaign: number) {
  await team.data('POST', `/campaigns/${campaign}/send`);
  return finished(team, campaign);
}

describe('a message', () => {
  let team: Team;
  let messages: ReadonlyMap<string, Message>;
  const message = (name: string) => messages.get(`${name}@example.com`)!;

  beforeAll(async () => {
    team = await newTeam();
    const metadata = { city: 'Köln', topic: 'Sales\r\nBcc: all@example.com\n\n<html>', n: 3 };
    const people = [
      { email: 'ann@example.com', first_name: 'Ann', last_name: 'Lee', metadata },
      { email: 'hostile@example.com', first_name: `<script>alert("1")</script>'&{{email}}`, metadata },
      { email: 'bare@example.com' },
    ];
    const { campaign } = await readyCampaign(team, people, {
      subject: '{{first_name | default: "Friend"}}, {{topic}} {{ is 100% \\{{n}} {off}',
      preheader: 'Only for {{first_name | default: "you & yours"}} <3',
      from_name: 'Ärzte & "Söhne"',
      reply_to: 'reply+here@example.com',
      html: [
        '<html><head><style>p{color:{{color | default: "red"}}}</style></head><body class="x">',
        '<h1>Hello {{first_name | default: "there"}}!</h1>',
        '<p title="{{first_name}}">{{unknown}}[{{metadata.city}}] {{ stray }} {{ a C:\\new\\{{n}}</p>',
        '<p><a href="https://shop.example/{{city}}?a=1&amp;b=2">Shop</a></p>',
        footer,
        '</body></html>',
      ].join('\n'),
    });
    expect(await send(team, campaign)).toMatchObject({ status: 'sent', sent_count: 3, failed_count: 0 });
    messages = await messagesOf(team, campaign);
  });

  it('has the values of its recipient, fallbacks for missing ones, and nothing for unknown tags', () => {
    expect(message('ann').html).toContain('<h1>Hello Ann!</h1>');
    expect(message('bare').html).toContain('<h1>Hello there!</h1>');
    expect(message('ann').html).toContain('>[Köln] ');
    expect(message('bare').html).toContain('>[] ');
    expect(message('ann').html).toContain('p{color:red}');
  });

  it('keeps stray braces and backslashes', () => {
    expect(message('ann').html).toContain(' {{ a C:\\new\\3</p>');
    expect(message('ann').subject.endsWith('{{ is 100% \\3 {off}')).toBe(true);
  });

  it('escapes values in HTML, in content and in attributes, and merges them only once', () => {
    const { html } = message('hostile');
    expect(html).not.toMatch(/<script/i);
    const safe = '&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;{{email}}';
    expect(html).toContain(`<h1>Hello ${safe}!</h1>`);
    expect(html).toContain(`<p title="${safe}">`);
    expect(message('hostile').text).toContain(`<script>alert("1")</script>'&{{email}}!`);
  });

  it('has a subject of one line, whatever the values, and no header that its author did not set', () => {
    expect(message('ann').subject).toBe('Ann, Sales Bcc: all@example.com <html> {{ is 100% \\3 {off}');
    expect(message('bare').subject).toBe('Friend,  {{ is 100% \\ {off}');
    for (const { headers, subject } of messages.values()) {
      expect(subject).not.toMatch(/[\r\n]/);
      expect(Object.keys(headers).sort()).toEqual(
        [
          'Date',
          'From',
          'List-Unsubscribe',
          'List-Unsubscribe-Post',
          'MIME-Version',
          'Message-ID',
          'Reply-To',
          'Subject',
          'To',
        ].sort(),
      );
    }
  });

  it('comes from the display name, in a form that every mail server passes on', () => {
    expect(message('ann').from).toBe(`Ärzte & "Söhne" <news@${team.domain}>`);
    expect(message('ann').headers.From).toMatch(/^=\?UTF-8\?B\?[\w+/=]+\?= <news@[\w.-]+>$/);
    expect(message('ann').reply_to).toBe('reply+here@example.com');
  });

  it('can be unsubscribed from with one click (RFC 8058), by an untracked link per recipient', () => {
    const links = [...messages.values()].map(({ headers, html, text }) => {
      const link = /^<(http\S+)>$/.exec(headers['List-Unsubscribe']!)![1]!;
      expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
      expect(link.startsWith(`${inject('origin')}/unsubscribe/`)).toBe(true);
      expect(html).toContain(`href="${link}"`);
      expect(text).toContain(link);
      return link;
    });
    expect(new Set(links).size).toBe(3);
  });

  it('has a text part derived from the HTML, with its links and values', () => {
    const { text } = message('ann');
    expect(text).toContain('Hello Ann!');
    expect(text).toContain('Shop [https://shop.example/Köln?a=1&b=2]');
    expect(text).not.toMatch(/<p|<a|&amp;|color:/);
  });

  it('begins with its preheader, hidden, with values and fallbacks escaped', () => {
    const preheader = /<body class="x"><div style="display:none[^"]*">(.*?)<\/div>/;
    expect(preheader.exec(message('ann').html)![1]).toBe('Only for Ann &#60;3');
    expect(preheader.exec(message('bare').html)![1]).toBe('Only for you &#38; yours &#60;3');
  });
});

describe('a text-only message', () => {
  it('has no HTML part and keeps its text', async () => {
    const team = await newTeam();
    const text = 'Hi {{first_name}} <you>,\n\nbye: {{unsubscribe_url}}';
    const { campaign } = await readyCampaign(team, [{ email: 'ann@example.com' }], {
      html: null,
      text,
      from_name: null,
    });
    await send(team, campaign);
    const message = (await messagesOf(team, campaign)).get('ann@example.com')!;
    expect(message.html).toBeNull();
    expect(message.text).toMatch(/^Hi {2}<you>,\n\nbye: http:\S+$/);
    expect(message.from).toBe(`news@${team.domain}`);
  });
});

describe('values far larger than one request to the provider takes', () => {
  it('still reach every recipient', async () => {
    const team = await newTeam();
    const people = rows(50).map((row) => ({ ...row, metadata: { bio: '<é>'.repeat(4_000) } }));
    const { campaign } = await readyCampaign(team, people, { html: `<p>{{bio}}</p>${footer}` });
    expect(await send(team, campaign)).toMatchObject({ status: 'sent', sent_count: 50, failed_count: 0 });
    expect((await messagesOf(team, campaign)).size).toBe(50);
  });
});

describe('an audience', () => {
  it('is the active contacts of the list that pass every filter; suppressed ones count as suppressed', async () => {
    const team = await newTeam();
    const people = ['in', 'manual', 'pending', 'left', 'bounced', 'deleted', 'untagged', 'elsewhere'].map((name) => ({
      email: `${name}@example.com`,
      first_name: 'Match',
      ...(name === 'pending' && { status_if_new: 'pending' }),
      metadata: { company: name === 'elsewhere' ? 'Other' : 'Acme' },
    }));
    const tag = (await team.data('POST', '/tags', { name: 'VIP' })).id;
    const { campaign } = await readyCampaign(
      team,
      people.filter(({ email }) => email !== 'outside@example.com'),
      { audience_filters: { tag_ids: [tag], company: 'acme', search: 'match' } },
    );
    for (const { email } of people)
      if (!email.startsWith('untagged')) await team.data('POST', `/contacts/${email}/tags`, { tag_ids: [tag] });
    await team.data('POST', '/contacts', { email: 'outside@example.com', first_name: 'Match', tag_ids: [tag] });
    await team.data('POST', '/suppressions', { email: 'manual@example.com', reason: 'manual' });
    await team.data('POST', '/suppressions', { email: 'bounced@example.com', reason: 'hard_bounce' });
    await team.data('PATCH', '/contacts/left@example.com', { status: 'unsubscribed' });
    await team.data('DELETE', '/contacts/deleted@example.com');
    const ended = await send(team, campaign);
    expect(ended).toMatchObject({ status: 'sent', total_recipients: 2, sent_count: 1, failed_count: 0 });
    expect([...(await messagesOf(team, campaign)).keys()]).toEqual(['in@example.com']);
    const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
    expect(listed.map(({ email, status }) => [email, status])).toEqual([
      ['in@example.com', 'sent'],
      ['manual@example.com', 'suppressed'],
    ]);
    expect(listed[1]).toMatchObject({ sent_at: null, opened_at: null, error_message: null });
    expect((await team.data('GET', `/campaigns/${campaign}/report`)).metrics).toMatchObject({
      recipients: 2,
      sent: 1,
    });
  });
});

describe('screening', () => {
  it.each([
    ['<a href="http://203.0.113.9/x">x</a>', 'a link to a raw IP address: 203.0.113.9'],
    ['<a href="https://bit.ly/x">x</a>', 'a link through a URL shortener: bit.ly'],
    [
      '<a href="https://evil.example">bank.example</a>',
      'a link whose text names bank.example but leads to evil.example',
    ],
  ])('holds %s for an operator, and mails nothing', async (link, finding) => {
    const team = await newTeam();
    const { campaign } = await readyCampaign(team, rows(2), { html: link + footer });
    const held = await send(team, campaign);
    expect(held).toMatchObject({ status: 'held', failure_reason: `held for review: ${finding}`, total_recipients: 0 });
    expect((await messagesOf(team, campaign)).size).toBe(0);
    expect(await everyRow(team, `/campaigns/${campaign}/recipients`)).toEqual([]);
    for (const action of ['send', 'cancel'])
      expect((await team.api('POST', `/campaigns/${campaign}/${action}`)).body.code).toBe('not_applicable');
  });

  it('a held campaign can be edited: it becomes a draft, which is screened again', async () => {
    const team = await newTeam();
    const { campaign } = await readyCampaign(team, rows(2), { html: `<a href="https://bit.ly/x">x</a>${footer}` });
    await send(team, campaign);
    const draft = await team.data('PATCH', `/campaigns/${campaign}`, { name: 'Mended' });
    expect(draft).toMatchObject({ status: 'draft', failure_reason: null });
    expect(await send(team, campaign)).toMatchObject({ status: 'held' });
    expect(await team.data('PUT', `/campaigns/${campaign}/content`, { html_content: footer })).toMatchObject({
      status: 'draft',
      failure_reason: null,
    });
    expect(await send(team, campaign)).toMatchObject({ status: 'sent', sent_count: 2 });
  });
});

it("sends nothing to another team's contacts", async () => {
  const [team, other] = await Promise.all([newTeam(), newTeam()]);
  const [mine, theirs] = [rows(2, 'mine.example'), rows(2, 'theirs.example')];
  const [{ campaign }, { campaign: foreign }] = await Promise.all([
    readyCampaign(team, mine),
    readyCampaign(other, theirs),
  ]);
  await Promise.all([send(team, campaign), send(other, foreign)]);
  expect([...(await messagesOf(team, campaign)).keys()].sort()).toEqual(mine.map(({ email }) => email).sort());
  const { body } = await call(`${inject('origin')}/_local/messages?to=${theirs[0]!.email}`);
  expect(body.data.map(({ tags }: Message) => tags.team)).toEqual([String(other.id)]);
  await Promise.all([team, other].map((each) => idle(inject('origin'), each)));
  expect((await everyRow(team, '/events')).every(({ email }) => email.endsWith('mine.example'))).toBe(true);
});
