import { beforeAll, expect, inject, it } from 'vitest';
import { everyRow, finished, idle, type Message, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { bothWays } from '../../support/paging.ts';
import { call, control, newTeam, type Team } from '../../support/team.ts';

const reader = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const prefetch = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';

const ordinary = rows(120);
const simulated = ['success+1', 'bounce+1', 'bounce+2', 'complaint+1'].map((name) => ({
  email: `${name}@simulator.amazonses.com`,
}));
const people = [...ordinary, ...simulated];
const addresses = people.map(({ email }) => email).sort();
const suppressed = addresses[7]!;
const accepted = addresses.filter((email) => email !== suppressed);
/** Contacts with a role in the tests, none of them suppressed. */
const cast = ordinary.map(({ email }) => email).filter((email) => email !== suppressed);

let team: Team;
let campaign: number;
let messages: ReadonlyMap<string, Message>;

const data: Team['data'] = (...request) => team.data(...request);
const emails = (listed: { email: string }[]) => listed.map(({ email }) => email);
const recipients = (filter: string) => everyRow(team, `/campaigns/${campaign}/recipients?filter=${filter}`);
const metrics = async () => (await data('GET', `/campaigns/${campaign}/report`)).metrics;
const contact = (email: string) => data('GET', `/contacts/${email}`);

beforeAll(async () => {
  team = await newTeam();
  ({ campaign } = await readyCampaign(team, people));
  await data('POST', '/suppressions', { email: suppressed, reason: 'manual' });
});

it('sends one message each under concurrent sends, and repeats its answer for the same Idempotency-Key', async () => {
  const post = (key?: string) =>
    team.api('POST', `/campaigns/${campaign}/send`, undefined, key ? { 'idempotency-key': key } : {});
  const answers = await Promise.all([post('one'), post('one'), post('two'), post(), post()]);
  expect(answers.filter(({ status, headers }) => status === 200 && !headers.has('idempotent-replayed'))).toHaveLength(
    1,
  );
  for (const { status, body } of answers)
    expect([200, 'not_applicable', 'idempotency_in_progress']).toContain(status === 200 ? 200 : body.code);
  const ended = await finished(team, campaign);
  expect(ended).toMatchObject({
    status: 'sent',
    total_recipients: people.length,
    sent_count: accepted.length,
    failed_count: 0,
    failure_reason: null,
  });
  messages = await messagesOf(team, campaign);
  expect([...messages.keys()].sort()).toEqual(accepted);
  const [first, again] = [await post('one'), await post('one')];
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await finished(team, campaign);
  expect((await messagesOf(team, campaign)).size).toBe(accepted.length);
});

it('reports the messages and events', async () => {
  expect(await data('GET', `/campaigns/${campaign}/report`)).toEqual({
    campaign_id: campaign,
    name: 'Campaign',
    subject: 'Hello {{first_name}}',
    status: 'sent',
    sent_at: expect.stringMatching(/\.\d{3}\+00:00$/),
    metrics: {
      recipients: 124,
      sent: 123,
      delivered: 121,
      opened: 0,
      clicked: 0,
      bounced: 2,
      unsubscribed: 0,
      complained: 1,
      delivery_rate: 98.37,
      open_rate: 0,
      click_rate: 0,
      ctor: 0,
      bounce_rate: 1.63,
      unsubscribe_rate: 0,
      complaint_rate: 0.83,
    },
  });
  const counted = Map.groupBy(await everyRow(team, `/events?campaign_id=${campaign}`), ({ event }) => event);
  expect(Object.fromEntries([...counted].map(([event, all]) => [event, all.length]))).toEqual({
    queued: 124,
    sent: 123,
    delivered: 121,
    bounced: 2,
    spam_report: 1,
  });
});

it('lists every recipient once, by address, with the status of each, by every filter and both ways', async () => {
  const path = `/campaigns/${campaign}/recipients`;
  const all = await bothWays(team, path, 37);
  expect(emails(all)).toEqual(addresses);
  const status = (email: string) =>
    email === suppressed
      ? 'suppressed'
      : email.startsWith('bounce')
        ? 'bounced'
        : email.startsWith('complaint')
          ? 'complained'
          : 'sent';
  for (const row of all) {
    expect(row).toEqual({
      contact_id: expect.any(Number),
      email: row.email,
      status: status(row.email),
      sent_at: row.email === suppressed ? null : expect.stringMatching(/\+00:00$/),
      opened_at: null,
      clicked_at: null,
      error_message: null,
    });
  }
  const { id } = await contact(cast[0]!);
  expect(all.find(({ email }) => email === cast[0]).contact_id).toBe(id);
  expect(emails(await bothWays(team, `${path}?filter=sent`, 50))).toEqual(accepted);
  expect(emails(await bothWays(team, `${path}?filter=bounced`, 1))).toEqual(
    addresses.filter((email) => email.startsWith('bounce')),
  );
  for (const filter of ['pending', 'opened', 'clicked']) expect(await recipients(filter)).toEqual([]);
  expect((await team.api('GET', `${path}?filter=lost`)).body.errors).toHaveProperty('filter');
});

it('lists every event once and both ways, by type, by address, by contact and by time', async () => {
  const path = `/events?campaign_id=${campaign}`;
  const all = await bothWays(team, path, 97);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const times = all.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
  expect(await bothWays(team, '/events', 100)).toEqual(all);
  for (const [event, expected] of [
    ['queued', addresses],
    ['sent', accepted],
    ['delivered', accepted.filter((email) => !email.startsWith('bounce'))],
    ['deferred', []],
  ] as const)
    expect(emails(await bothWays(team, `${path}&event=${event}`, 50)).sort()).toEqual(expected);

  const [ann] = cast;
  const { id } = await contact(ann!);
  const own = all.filter(({ email }) => email === ann);
  expect(own.map(({ event }) => event).sort()).toEqual(['delivered', 'queued', 'sent']);
  expect(await bothWays(team, `/events?email=${ann}`, 1)).toEqual(own);
  expect(await bothWays(team, `/events?contact_id=${id}`, 2)).toEqual(own);
  expect(await everyRow(team, '/events?email=nobody@example.com')).toEqual([]);
  for (const plus of ['+', '%2B'])
    expect(await everyRow(team, `/events?email=SUCCESS${plus}1@simulator.amazonses.com`)).toHaveLength(3);
  expect(await everyRow(team, '/events?campaign_id=999999')).toEqual([]);
  expect(own.find(({ event }) => event === 'sent')).toEqual({
    id: expect.any(Number),
    email: ann,
    event: 'sent',
    campaign_id: campaign,
    contact_id: id,
    provider: null,
    source: 'native',
    is_machine_open: false,
    metadata: {},
    created_at: expect.stringMatching(/\+00:00$/),
  });
  expect(own.find(({ event }) => event === 'delivered')).toMatchObject({
    provider: 'ses',
    source: 'provider',
    metadata: {},
  });

  const middle = times[Math.floor(times.length / 2)]!;
  const [since, until] = [`since=${encodeURIComponent(middle)}`, `until=${encodeURIComponent(middle)}`];
  for (const base of [`${path}&`, '/events?', `/events?email=${ann}&`]) {
    const whole = base.includes('email') ? own : all;
    expect(await everyRow(team, base + since)).toEqual(whole.filter(({ created_at }) => created_at >= middle));
    expect(await everyRow(team, base + until)).toEqual(whole.filter(({ created_at }) => created_at <= middle));
  }
  expect(await everyRow(team, '/events?since=2099-01-01')).toEqual([]);
  for (const [query, field] of [
    ['event=lost', 'event'],
    ['email=nobody', 'email'],
    ['since=yesterday', 'since'],
    ['campaign_id=x', 'campaign_id'],
    ['include_machine_opens=maybe', 'include_machine_opens'],
  ])
    expect((await team.api('GET', `/events?${query}`)).body.errors).toHaveProperty(field!);
});

it('applies a bounce and a complaint to the contact, the suppressions and the next campaign', async () => {
  expect((await contact('bounce+1@simulator.amazonses.com')).status).toBe('bounced');
  expect((await contact('complaint+1@simulator.amazonses.com')).status).toBe('unsubscribed');
  expect((await contact('success+1@simulator.amazonses.com')).status).toBe('active');
  const listed = await everyRow(team, '/suppressions');
  expect(listed.map(({ email, reason, source, campaign_id }) => ({ email, reason, source, campaign_id }))).toEqual(
    expect.arrayContaining([
      { email: 'bounce+1@simulator.amazonses.com', reason: 'hard_bounce', source: 'ses', campaign_id: campaign },
      { email: 'bounce+2@simulator.amazonses.com', reason: 'hard_bounce', source: 'ses', campaign_id: campaign },
      { email: 'complaint+1@simulator.amazonses.com', reason: 'spam_report', source: 'ses', campaign_id: campaign },
      { email: suppressed, reason: 'manual', source: 'api', campaign_id: null },
    ]),
  );
  expect(listed).toHaveLength(4);
});

const pixel = ({ html }: Message) => /<img alt="" src="(http[^"]+)"/.exec(html)![1]!;
const link = ({ html }: Message) => /<a href="(http[^"]+)">news</.exec(html)![1]!;
const visit = (url: string, agent = reader, method = 'GET') =>
  fetch(url, { method, headers: { 'user-agent': agent }, redirect: 'manual' });

it('counts each recipient that opens and clicks once, apart from machines, and shows both on request', async () => {
  const of = (index: number) => messages.get(cast[index]!)!;
  // An open within two seconds of the delivery would be a machine's.
  const delivered = await everyRow(team, `/events?campaign_id=${campaign}&event=delivered`);
  const ready = Date.parse(delivered[0].created_at) + 2_000;
  await expect
    .poll(async () => Date.parse((await control('GET', '/clock')).body.now), { timeout: 5_000 })
    .toBeGreaterThan(ready);
  for (const index of [0, 1, 2]) for (let again = 0; again < 2; again++) await visit(pixel(of(index)));
  await visit(pixel(of(3)), prefetch);
  await visit(pixel(of(4)), reader, 'HEAD');
  for (let again = 0; again < 2; again++) {
    const clicked = await visit(link(of(0)));
    expect([clicked.status, clicked.headers.get('location')]).toEqual([302, 'https://example.com/news']);
  }
  await visit(link(of(5)));
  await visit(link(of(6)), 'Barracuda Sentinel');
  await idle(inject('origin'), team);

  expect(await metrics()).toMatchObject({
    opened: 3,
    clicked: 2,
    open_rate: 2.48,
    click_rate: 1.65,
    ctor: 66.67,
    delivered: 121,
  });
  const humans = [cast[0], cast[1], cast[2]].sort();
  const opened = await bothWays(team, `/campaigns/${campaign}/recipients?filter=opened`, 2);
  expect(emails(opened)).toEqual(humans);
  expect(opened.every(({ opened_at, status }) => opened_at !== null && status === 'sent')).toBe(true);
  expect(emails(await recipients('clicked'))).toEqual([cast[0], cast[5]].sort());
  expect((await recipients('clicked')).find(({ email }) => email === cast[0]).opened_at).not.toBeNull();

  const path = `/events?campaign_id=${campaign}&event=opened`;
  expect(new Set(emails(await everyRow(team, path)))).toEqual(new Set(humans));
  const all = await everyRow(team, `${path}&include_machine_opens=true`);
  const machines = all.filter(({ is_machine_open }) => is_machine_open);
  expect(emails(machines).sort()).toEqual([cast[3], cast[4]].sort());
  expect(machines.find(({ email }) => email === cast[3]).metadata).toMatchObject({ user_agent: prefetch });
  expect(await everyRow(team, `/events?email=${cast[3]}&event=opened`)).toEqual([]);
  const [click] = await everyRow(team, `/events?email=${cast[5]}&event=clicked`);
  expect(click).toMatchObject({ metadata: { url: 'https://example.com/news', user_agent: reader } });
});

it('pages through all events without a gap or a repeat while others are written', async () => {
  const before = await everyRow(team, `/events?campaign_id=${campaign}`);
  const seen = [];
  let query = `/events?campaign_id=${campaign}&per_page=100`;
  for (let index = 10; ; index++) {
    const [{ body }] = await Promise.all([team.api('GET', query), visit(link(messages.get(cast[index]!)!))]);
    if (index < 13) await idle(inject('origin'), team);
    seen.push(...body.data);
    if (!body.has_more) break;
    query = `/events?campaign_id=${campaign}&per_page=100&cursor=${body.next_cursor}`;
  }
  await idle(inject('origin'), team);
  const ids = seen.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const known = new Set(before.map(({ id }) => id));
  expect(seen.filter(({ id }) => known.has(id))).toEqual(before);
});

const unsubscribeLink = (email: string) => messages.get(email)!.headers['List-Unsubscribe']!.slice(1, -1);
const form = { 'content-type': 'application/x-www-form-urlencoded' };

it("unsubscribes by the page's button or one-click, not by opening the page", async () => {
  const [onPage, oneClick, multipart] = [cast[20]!, cast[21]!, cast[22]!];
  for (let again = 0; again < 2; again++) {
    const page = await fetch(unsubscribeLink(onPage));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain(onPage);
  }
  expect((await fetch(unsubscribeLink(onPage), { method: 'HEAD' })).status).toBe(200);
  expect((await contact(onPage)).status).toBe('active');
  expect((await metrics()).unsubscribed).toBe(0);

  const bodies = [
    [onPage, '', form],
    [oneClick, 'List-Unsubscribe=One-Click', form],
    [
      multipart,
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      { 'content-type': 'multipart/form-data; boundary=b' },
    ],
  ] as const;
  for (let again = 0; again < 2; again++)
    for (const [email, body, headers] of bodies) {
      const answer = await fetch(unsubscribeLink(email), { method: 'POST', body, headers, redirect: 'manual' });
      expect(answer.status).toBe(200);
    }
  for (const [email] of bodies) {
    expect(await contact(email)).toMatchObject({ status: 'unsubscribed', unsubscribed_at: expect.any(String) });
    expect(await data('GET', `/suppressions?email=${email}`)).toMatchObject([
      { email, reason: 'unsubscribe', campaign_id: campaign },
    ]);
  }
  expect((await metrics()).unsubscribed).toBe(3);
  const events = await everyRow(team, `/events?campaign_id=${campaign}&event=unsubscribed`);
  expect(Object.fromEntries(events.map(({ email, source }) => [email, source]))).toEqual({
    [onPage]: 'unsubscribe_page',
    [oneClick]: 'one_click',
    [multipart]: 'one_click',
  });
  expect(events).toHaveLength(3);
  const page = await (await fetch(unsubscribeLink(onPage))).text();
  expect(page).toContain('You are unsubscribed');
  expect(page).not.toContain('<form');
});

it('answers 404 to a link that was changed, and changes nothing', async () => {
  const good = unsubscribeLink(cast[23]!);
  const token = good.slice(good.lastIndexOf('/') + 1);
  const base = good.slice(0, good.lastIndexOf('/') + 1);
  for (const wrong of [`${token}A`, token.slice(1), token.toUpperCase(), token.slice(0, -2), '%00', 'x'])
    for (const method of ['GET', 'POST']) expect((await fetch(base + wrong, { method })).status).toBe(404);
  expect((await contact(cast[23]!)).status).toBe('active');
});

it('keeps a contact unsubscribed that is restored after unsubscribing while deleted', async () => {
  const email = cast[24]!;
  await data('DELETE', `/contacts/${email}`);
  const answer = await fetch(unsubscribeLink(email), {
    method: 'POST',
    body: 'List-Unsubscribe=One-Click',
    headers: form,
  });
  expect(answer.status).toBe(200);
  expect(await data('GET', `/suppressions?email=${email}`)).toMatchObject([{ email, reason: 'unsubscribe' }]);
  expect((await data('POST', '/contacts', { email })).status).toBe('unsubscribed');
});

it('removes an erased person everywhere, and no count changes', async () => {
  const [first] = addresses; // Its page is filed under its address.
  const erased = [first!, addresses[1]!, cast[1]!, 'bounce+1@simulator.amazonses.com'];
  const everything = `/events?campaign_id=${campaign}&include_machine_opens=true`;
  const counts = async () => ({
    metrics: await metrics(),
    campaign: await data('GET', `/campaigns/${campaign}`),
    statuses: (await recipients('all')).map(({ status }) => status).sort(),
    opened: (await recipients('opened')).length,
    clicked: (await recipients('clicked')).length,
    bounced: (await recipients('bounced')).length,
    events: (await everyRow(team, everything)).map(({ id }) => id),
  });
  const before = await counts();
  for (const email of erased) {
    const { id } = await contact(email);
    const own = await everyRow(team, `/events?email=${encodeURIComponent(email)}&include_machine_opens=true`);
    expect(await data('POST', `/contacts/${id}/erase`)).toEqual({
      contacts_deleted: 1,
      events_anonymized: own.length,
      events_exact: true,
    });
    expect(await everyRow(team, `/events?email=${encodeURIComponent(email)}`)).toEqual([]);
    expect(await everyRow(team, `/events?contact_id=${id}`)).toEqual([]);
  }
  expect(await counts()).toEqual(before);
  // The provider's later events are stored without the address, and not counted.
  for (const email of [erased[1]!, erased[2]!]) for (const url of [pixel, link]) await visit(url(messages.get(email)!));
  await idle(inject('origin'), team);
  const { events: later, ...after } = await counts();
  const { events: known, ...counted } = before;
  expect(after).toEqual(counted);
  expect(later).toHaveLength(known.length + 4);
  const listed = await bothWays(team, `/campaigns/${campaign}/recipients`, 41);
  expect(listed.filter(({ email }) => email === null)).toHaveLength(erased.length);
  expect(listed.filter(({ contact_id }) => contact_id === null)).toHaveLength(erased.length);
  const events = await everyRow(team, everything);
  const anonymous = events.filter(({ email }) => email === 'erased@anonymized.invalid');
  expect(anonymous.length).toBeGreaterThan(3 * erased.length);
  for (const event of anonymous) expect(event).toMatchObject({ contact_id: null, metadata: {} });
  // Cursors and page keys must not contain the address either.
  for (const path of [
    `/campaigns/${campaign}/recipients?per_page=1`,
    `${everything}&per_page=3`,
    '/contacts?per_page=3',
  ]) {
    let [text, cursor] = ['', ''];
    for (let page = 0; page < 6; page++) {
      const { body } = await team.api('GET', path + cursor);
      text += JSON.stringify(body) + Buffer.from(body.next_cursor ?? '', 'base64url').toString();
      cursor = `&cursor=${body.next_cursor}`;
    }
    for (const email of erased) expect(text).not.toContain(email);
  }
});

it('keeps the events of a deleted campaign, from which a person can be erased', async () => {
  const other = await newTeam();
  const { campaign: gone } = await readyCampaign(other, rows(2));
  await other.api('POST', `/campaigns/${gone}/send`);
  await finished(other, gone);
  const [ann, bob] = rows(2).map(({ email }) => email);
  await idle(inject('origin'), team);
  const before = await everyRow(other, '/events');
  expect(before).toHaveLength(6);
  expect((await other.api('DELETE', `/campaigns/${gone}`)).status).toBe(200);
  expect(await everyRow(other, '/events')).toEqual(before);
  expect(await everyRow(other, `/events?email=${ann}`)).toHaveLength(3);
  expect((await other.api('POST', `/contacts/${ann}/erase`)).body.data.events_anonymized).toBe(3);
  expect(JSON.stringify(await everyRow(other, '/events'))).not.toContain(ann);
  expect(await everyRow(other, `/events?email=${bob}`)).toHaveLength(3);
});

it('shows no event or recipient to another team, and refuses its cursors', async () => {
  const other = await newTeam();
  expect(await everyRow(other, `/events?campaign_id=${campaign}`)).toEqual([]);
  expect(await everyRow(other, `/events?email=${cast[30]}`)).toEqual([]);
  const { body } = await team.api('GET', '/events?per_page=1');
  expect((await other.api('GET', `/events?per_page=1&cursor=${body.next_cursor}`)).body.errors).toHaveProperty(
    'cursor',
  );
  const { status } = await call(`${inject('origin')}/v1/campaigns/${campaign}/recipients`, 'GET', undefined, {
    'x-api-key': other.apiKey,
  });
  expect(status).toBe(404);
});
