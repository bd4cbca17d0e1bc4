import { SendBulkEmailCommand, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bulk, type SesUnderTest, simple, startSes } from './ses-harness.ts';

const BASE = 'http://stack.example';

describe('open and click tracking of the local SES', () => {
  let under: SesUnderTest;
  beforeEach(async () => {
    under = await startSes();
  });
  afterEach(() => under.close());

  async function receive(html: string, set: string | undefined = 'tracked'): Promise<string> {
    await under.client.send(new SendEmailCommand(simple('bob@b.example', { html, set })));
    return under.ses.messages({}).at(-1)?.html ?? '';
  }
  const pathOf = (html: string, kind: 'open' | 'click') =>
    new RegExp(`"${BASE}(/_local/ses/${kind}/[^"]+)"`).exec(html)?.[1] ?? '';
  const fetchPath = async (path: string, method = 'GET', headers = {}) => under.ses.track({ method, path, headers });
  const engagement = async () => (await under.published()).filter(({ open, click }) => open || click);

  it('adds a pixel at the end of the body and reports the reader that loads it', async () => {
    const html = await receive('<html><body><p>Hi</p></body></html>');
    expect(html).toMatch(/<p>Hi<\/p><img [^>]*><\/body><\/html>$/);
    const response = await fetchPath(pathOf(html, 'open'), 'GET', {
      'user-agent': 'Reader/1',
      'x-forwarded-for': '192.0.2.1, 10.0.0.1',
    });
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'image/gif' } });
    expect(response.body.subarray(0, 6).toString()).toBe('GIF89a');
    const [event] = await engagement();
    expect(event).toMatchObject({
      eventType: 'Open',
      mail: { destination: ['bob@b.example'], messageId: under.ses.messages({})[0]?.message_id },
      open: { ipAddress: '192.0.2.1', userAgent: 'Reader/1', isBotEvent: 'Unlikely' },
    });
  });

  it('redirects a click to the original address and reports it', async () => {
    const html = await receive('<a class=x HREF="https://c.example/?a=1&amp;b=2#top" ses:tags="kind:book;">Book</a>');
    expect(html).toMatch(/^<a class=x href="http:\/\/stack\.example\/_local\/ses\/click\/[^"]+" *>Book<\/a>/);
    const response = await fetchPath(pathOf(html, 'click'));
    expect(response).toMatchObject({ status: 302, headers: { location: 'https://c.example/?a=1&b=2#top' } });
    expect(await engagement()).toMatchObject([
      {
        eventType: 'Click',
        click: { link: 'https://c.example/?a=1&b=2#top', ipAddress: '127.0.0.1' },
      },
    ]);
  });

  it('changes only the address of a link', async () => {
    const html = await receive('<a data-href="https://c.example/" href="https://c.example/" title="a > b">x</a>');
    expect(html).toMatch(/^<a data-href="https:\/\/c\.example\/" href="http:\/\/stack[^"]+" title="a > b">x<\/a>/);
  });

  it('distinguishes links and recipients', async () => {
    const recipients = ['one', 'two'].map((name) => ({ to: `${name}@b.example`, data: { name } }));
    await under.client.send(
      new SendBulkEmailCommand(
        bulk(recipients, {
          html:
            '<a href="https://c.example/{{name}}">1</a><a href="mailto:x@b.example">m</a>' +
            '<a href=https://c.example/2>2</a>',
          set: 'tracked',
        }),
      ),
    );
    const targets = under.ses.messages({}).map(async ({ html }) => {
      const links = [...(html ?? '').matchAll(/href="http:\/\/stack\.example([^"]+)"/g)].map((match) => match[1] ?? '');
      return Promise.all(links.map(async (path) => (await fetchPath(path)).headers.location));
    });
    expect(await Promise.all(targets)).toEqual([
      ['https://c.example/one', 'https://c.example/2'],
      ['https://c.example/two', 'https://c.example/2'],
    ]);
    expect((await engagement()).map(({ mail, click }) => [mail.destination[0], click.link])).toEqual([
      ['one@b.example', 'https://c.example/one'],
      ['one@b.example', 'https://c.example/2'],
      ['two@b.example', 'https://c.example/two'],
      ['two@b.example', 'https://c.example/2'],
    ]);
  });

  it.each([
    ['marked ses:no-track', '<a ses:no-track href="https://c.example/">x</a>', '<a  href="https://c.example/">x</a>'],
    ['to a mail address', '<a href="mailto:a@b.example">x</a>', '<a href="mailto:a@b.example">x</a>'],
    ['within the page', '<a href="#top">x</a>', '<a href="#top">x</a>'],
    ['not properly encoded', '<a href="https://c.example/a b">x</a>', '<a href="https://c.example/a b">x</a>'],
    ['of another element', '<abbr href="https://c.example/">x</abbr>', '<abbr href="https://c.example/">x</abbr>'],
  ])('does not track a link that is %s', async (_, sent, received) => {
    const html = await receive(sent);
    expect(html.slice(0, html.indexOf('<img '))).toBe(received);
  });

  it('tracks at most 250 links of a message', async () => {
    const html = await receive('<a href="https://c.example/">x</a>'.repeat(251));
    expect(html.match(/\/_local\/ses\/click\//g)).toHaveLength(250);
  });

  it('reports a HEAD request as a likely bot and answers it without a body', async () => {
    const html = await receive('<a href="https://c.example/">x</a>');
    const pixel = await fetchPath(pathOf(html, 'open'), 'HEAD');
    expect([pixel.status, pixel.body.length]).toEqual([200, 0]);
    expect((await fetchPath(pathOf(html, 'click'), 'HEAD')).headers.location).toBe('https://c.example/');
    const events = await engagement();
    expect(events.map(({ open, click }) => (open ?? click).isBotEvent)).toEqual(['Likely', 'Likely']);
  });

  it('does not change a message when its configuration set does not track', async () => {
    const html = '<a href="https://c.example/">x</a>';
    expect(await receive(html, 'plain')).toBe(html);
  });

  it('answers 404 for unknown tokens and links, 405 for other methods', async () => {
    const html = await receive('<a href="https://c.example/">x</a>');
    const click = pathOf(html, 'click');
    for (const path of ['/_local/ses/open/x', click.replace('/click/', '/open/'), click.replace(/\d+$/, '9')]) {
      expect((await fetchPath(path)).status).toBe(404);
    }
    expect((await fetchPath(click.replace(/[0-9a-f]{8}/, '00000000'))).status).toBe(404);
    expect((await fetchPath(click, 'POST')).status).toBe(405);
    expect(await engagement()).toEqual([]);
  });

  it('redirects a click after 60 days without reporting it', async () => {
    const html = await receive('<a href="https://c.example/">x</a>');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61 * 24 * 3600 * 1000 });
    const response = await fetchPath(pathOf(html, 'click')).finally(() => vi.useRealTimers());
    expect(response.status).toBe(302);
    expect(await engagement()).toEqual([]);
  });
});
