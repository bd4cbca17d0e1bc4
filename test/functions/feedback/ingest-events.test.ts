import { beforeAll, describe, expect, inject, it } from 'vitest';
import { everyRow, finished, readyCampaign } from '../../support/campaign.ts';
import { rawTable } from '../../support/table.ts';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
let campaign: number;
const people = Array.from({ length: 20 }, (_, index) => ({ email: `p${index}@example.com` }));
let person = 0;

beforeAll(async () => {
  team = await newTeam();
  ({ campaign } = await readyCampaign(team, people));
  await team.api('POST', `/campaigns/${campaign}/send`);
  await finished(team, campaign);
});

// Not within two seconds of the delivery, as a machine's open would be.
const earlier = { occurred_at: new Date(Date.now() - 3_600_000).toISOString() };
const report = (...events: object[]) => team.api('POST', '/events', { events });
/** An address that no other test here uses. */
const next = (): string => people[person++]!.email;
const contact = async (email: string) => (await team.api('GET', `/contacts/${email}`)).body.data;
const metrics = async () => (await team.api('GET', `/campaigns/${campaign}/report`)).body.data.metrics;
const eventsOf = (email: string, more = '') => everyRow(team, `/events?email=${email}${more}`);
const suppression = async (email: string) =>
  (await team.api('GET', `/suppressions?email=${email}`)).body.data[0]?.reason;

describe('POST /events', () => {
  it('answers without a data wrapper, after everything has taken effect', async () => {
    const [reader, gone, angry] = [next(), next(), next()];
    const before = await metrics();
    const { status, body } = await report(
      { email: ` ${reader.toUpperCase()} `, event: 'opened', campaign_id: campaign, metadata: earlier },
      { email: reader, event: 'clicked', campaign_id: campaign, metadata: { url: 'https://example.com/' } },
      { email: gone, event: 'unsubscribed', campaign_id: campaign },
      { email: angry, event: 'spam_report', campaign_id: campaign, provider: 'other' },
    );
    expect([status, body]).toEqual([200, { status: 'processed', processed: 4 }]);
    const after = await metrics();
    expect([
      after.opened - before.opened,
      after.clicked - before.clicked,
      after.unsubscribed - before.unsubscribed,
      after.complained - before.complained,
    ]).toEqual([1, 1, 1, 1]);
    expect([(await contact(gone)).status, await suppression(gone)]).toEqual(['unsubscribed', 'unsubscribe']);
    expect([(await contact(angry)).status, await suppression(angry)]).toEqual(['unsubscribed', 'spam_report']);
    const { body: clicked } = await team.api('GET', `/campaigns/${campaign}/recipients?filter=clicked`);
    expect(clicked.data.map((row: { email: string }) => row.email)).toContain(reader);
  });

  it('counts a repeated event once, in one call or in two, and with a provider id at any time', async () => {
    const email = next();
    const known = {
      email,
      event: 'opened',
      campaign_id: campaign,
      provider: 'other',
      metadata: { provider_event_id: 'e-1', ...earlier },
    };
    const before = await metrics();
    await report(known, known);
    await report({ ...known, metadata: { ...known.metadata, occurred_at: '2026-01-01T00:00:00Z' } });
    const timed = {
      email,
      event: 'delivered',
      campaign_id: campaign,
      metadata: { occurred_at: new Date(Date.now() - 5_000).toISOString() },
    };
    await report(timed, timed);
    await report(timed);
    const listed = await eventsOf(email, `&campaign_id=${campaign}`);
    expect(listed.filter(({ event }) => event === 'opened')).toHaveLength(1);
    expect(listed.filter(({ source, event }) => event === 'delivered' && source === 'api')).toHaveLength(1);
    const after = await metrics();
    expect([after.opened - before.opened, after.delivered - before.delivered]).toEqual([1, 1]);
  });

  it('counts an event once that a client whose clock is ahead reports twice', async () => {
    const email = next();
    const before = await metrics();
    const metadata = { occurred_at: new Date(Date.now() + 30_000).toISOString() };
    for (let time = 0; time < 2; time++) {
      expect((await report({ email, event: 'delivered', campaign_id: campaign, metadata })).status).toBe(200);
      await new Promise((done) => setTimeout(done, 5));
    }
    expect((await metrics()).delivered - before.delivered).toBe(1);
    const listed = await eventsOf(email, '&event=delivered');
    expect(listed.filter(({ source }) => source === 'api')).toHaveLength(1);
  });

  it('resets the count of soft bounces on a delivery, in one call or in several', async () => {
    const [together, apart] = [next(), next()];
    const turns = (email: string) =>
      Array.from({ length: 5 }, (_, turn) => [
        { email, event: 'bounced', metadata: { bounce_type: 'soft', provider_event_id: `bounce-${turn}` } },
        { email, event: 'delivered', metadata: { provider_event_id: `delivery-${turn}` } },
      ]);
    await report(...turns(together).flat());
    for (const turn of turns(apart)) for (const event of turn) await report(event);
    for (const email of [together, apart])
      expect(await contact(email)).toMatchObject({ status: 'active', soft_bounce_count: 0 });
  });

  it.each(['before', 'after'])(
    "judges an open within two seconds of the delivery as a machine's when it is reported %s it",
    async (order) => {
      const email = next();
      const start = Date.now() - 3_600_000;
      const at = (ms: number) => ({ occurred_at: new Date(start + ms).toISOString() });
      const event = (name: string, ms: number) => ({ email, event: name, campaign_id: campaign, metadata: at(ms) });
      const [delivered, soon, late] = [event('delivered', 0), event('opened', 1_500), event('opened', 2_000)];
      const before = await metrics();
      const calls = order === 'before' ? [soon, delivered, late] : [delivered, soon, late];
      for (const call of calls.slice(0, 2)) await report(call);
      expect((await metrics()).opened).toBe(before.opened);
      expect((await contact(email)).status).toBe('active');
      expect(
        (await everyRow(team, `/campaigns/${campaign}/recipients?filter=opened`)).map((row) => row.email),
      ).not.toContain(email);
      await report(late);
      for (const call of calls) await report(call);
      const after = await metrics();
      expect([after.opened - before.opened, after.delivered - before.delivered]).toEqual([1, 1]);
      const opens = await eventsOf(email, '&event=opened&include_machine_opens=true');
      expect(opens.map(({ is_machine_open }) => is_machine_open)).toEqual([false, true]);
      const row = (await everyRow(team, `/campaigns/${campaign}/recipients`)).find((one) => one.email === email);
      expect(Date.parse(row.opened_at)).toBe(start + 2_000);
    },
  );

  it("judges it as a machine's also when both are reported at the same time", async () => {
    const emails = Array.from({ length: 20 }, (_, index) => `race-${index}@example.com`);
    // The others are not contacts.
    await team.api('POST', '/contacts/bulk', { contacts: emails.slice(0, 10).map((email) => ({ email })) });
    const start = Date.now() - 3_600_000;
    const at = (ms: number) => ({ occurred_at: new Date(start + ms).toISOString() });
    const before = await metrics();
    await Promise.all(
      emails.flatMap((email) => [
        report({ email, event: 'opened', campaign_id: campaign, metadata: at(1_000) }),
        report({ email, event: 'delivered', campaign_id: campaign, metadata: at(0) }),
      ]),
    );
    const after = await metrics();
    expect([after.opened - before.opened, after.delivered - before.delivered]).toEqual([0, emails.length]);
    for (const email of emails)
      expect(await eventsOf(email, '&event=opened&include_machine_opens=true')).toMatchObject([
        { is_machine_open: true },
      ]);
  });

  it('suppresses on a hard bounce, and on the fifth soft bounce in a row', async () => {
    const [hard, soft] = [next(), next()];
    await report({ email: hard, event: 'bounced', campaign_id: campaign });
    expect([(await contact(hard)).status, await suppression(hard)]).toEqual(['bounced', 'hard_bounce']);
    const bounce = (id: number) => ({
      email: soft,
      event: 'bounced',
      metadata: { bounce_type: 'soft', provider_event_id: `soft-${id}` },
    });
    await report(...[1, 2, 3, 4].map(bounce), bounce(1));
    expect(await contact(soft)).toMatchObject({ status: 'active', soft_bounce_count: 4 });
    await report(bounce(5));
    expect([(await contact(soft)).status, await suppression(soft)]).toEqual(['bounced', 'soft_bounce']);
  });

  it('counts a soft bounce once, also when one whose effects were cut off is reported again after others', async () => {
    const email = next();
    const bounce = (id: string) => ({
      email,
      event: 'bounced',
      metadata: { bounce_type: 'soft', provider_event_id: `row-${id}` },
    });
    const { naming, write } = await rawTable(inject('folder'));
    // As a worker leaves the rows that is killed after its effects and before it says so.
    const cutOff = async () => {
      const own = (await naming(email)).filter(({ pk }) => pk.startsWith(`TEAM#${team.id}#`));
      await write(own.filter(({ event }) => event === 'bounced').map((row) => ({ ...row, applying: true })));
    };
    await report(bounce('a'), bounce('b'));
    await cutOff();
    await report(bounce('a'), bounce('b'), bounce('a'));
    expect(await contact(email)).toMatchObject({ status: 'active', soft_bounce_count: 2 });
    await report({ email, event: 'delivered' });
    await cutOff();
    await report(bounce('b'), bounce('c'), bounce('b'));
    expect(await contact(email)).toMatchObject({ status: 'active', soft_bounce_count: 1 });
  });

  it('a suppression that a client reports applies to its own team alone', async () => {
    const email = `shared-${team.id}@example.com`;
    await report({ email, event: 'bounced' });
    const other = await newTeam();
    const sent = await readyCampaign(other, [{ email }]);
    await other.api('POST', `/campaigns/${sent.campaign}/send`);
    await finished(other, sent.campaign);
    const { body } = await other.api('GET', `/campaigns/${sent.campaign}/recipients`);
    expect(body.data).toMatchObject([{ email, status: 'sent' }]);
  });

  it('hides machine opens unless requested, and never counts them', async () => {
    const email = next();
    const before = await metrics();
    await report({ email, event: 'opened', campaign_id: campaign, metadata: { bot: true } });
    expect((await metrics()).opened).toBe(before.opened);
    expect((await eventsOf(email)).some(({ event }) => event === 'opened')).toBe(false);
    expect(await eventsOf(email, '&event=opened&include_machine_opens=true')).toMatchObject([
      { is_machine_open: true },
    ]);
  });

  it('accepts events without a contact or campaign', async () => {
    const email = `stranger-${team.id}@example.com`;
    expect((await report({ email, event: 'delivered', provider: 'other', source: 'import' })).status).toBe(200);
    expect(await eventsOf(email)).toMatchObject([
      { email, event: 'delivered', campaign_id: null, contact_id: null, provider: 'other', source: 'import' },
    ]);
  });

  it('applies events older than it lists, without listing them', async () => {
    const email = next();
    await report({ email, event: 'unsubscribed', metadata: { occurred_at: '2020-01-01' } });
    expect((await contact(email)).status).toBe('unsubscribed');
    expect((await eventsOf(email)).filter(({ event }) => event === 'unsubscribed')).toEqual([]);
  });

  it('refuses the whole call for one bad row, with its path, and applies nothing', async () => {
    const other = await newTeam();
    const foreign = (await other.api('POST', '/campaigns', { name: 'Foreign' })).body.data.id;
    const { id } = await contact(people[0]!.email);
    const email = next();
    const fine = { email, event: 'unsubscribed' };
    const future = new Date(Date.now() + 3_600_000).toISOString();
    for (const [bad, path] of [
      [{ email: 'nobody', event: 'opened' }, 'events.1.email'],
      [{ email, event: 'exploded' }, 'events.1.event'],
      [{ email, event: 'opened', campaign_id: foreign + 1_000 }, 'events.1.campaign_id'],
      [{ email, event: 'opened', contact_id: 999_999 }, 'events.1.contact_id'],
      [{ email, event: 'opened', contact_id: id }, 'events.1.contact_id'],
      [{ email, event: 'opened', metadata: { occurred_at: future } }, 'events.1.metadata.occurred_at'],
      [{ email, event: 'opened', metadata: { occurred_at: 'yesterday' } }, 'events.1.metadata.occurred_at'],
      [{ email, event: 'bounced', metadata: { bounce_type: 'medium' } }, 'events.1.metadata.bounce_type'],
      [{ email, event: 'opened', metadata: { bot: 'yes' } }, 'events.1.metadata.bot'],
    ] as const) {
      const { status, body } = await report(fine, bad);
      expect([status, body.code, Object.keys(body.errors)]).toEqual([422, 'validation_error', [path]]);
    }
    expect((await contact(email)).status).toBe('active');
    const many = Array.from({ length: 1_001 }, () => fine);
    expect((await report(...many)).status).toBe(422);
  });

  it("lists a contact's events, and none for an unknown contact or another address", async () => {
    const email = next();
    const { id } = await contact(email);
    await report({ email, event: 'deferred' }, { email: `other-${team.id}@example.com`, event: 'deferred' });
    const types = (await everyRow(team, `/events?contact_id=${id}`)).map(({ event, contact_id }) => [
      event,
      contact_id,
    ]);
    expect(types[0]).toEqual(['deferred', id]);
    expect(types.every(([, of]) => of === id)).toBe(true);
    expect(await everyRow(team, `/events?contact_id=${id}&email=${email}&event=deferred`)).toHaveLength(1);
    expect(await everyRow(team, `/events?contact_id=${id}&email=other@example.com`)).toEqual([]);
    expect(await everyRow(team, '/events?contact_id=999999')).toEqual([]);
  });

  it('accepts 1,000 events of 170 days in one call, and lists them on theirs', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const events = Array.from({ length: 1_000 }, (_, index) => ({
      email: `many-${index % 400}@example.com`,
      event: 'delivered',
      metadata: { provider_event_id: `many-${index}`, occurred_at: daysAgo(index % 170) },
    }));
    expect((await report(...events)).body).toEqual({ status: 'processed', processed: 1_000 });
    expect(await eventsOf('many-399@example.com')).toHaveLength(2);
    const listed = await everyRow(team, `/events?since=${daysAgo(39.5)}&until=${daysAgo(37.5)}`);
    expect(listed.map(({ created_at }) => created_at.slice(0, 10))).toEqual(
      Array.from({ length: 12 }, (_, index) => daysAgo(index < 6 ? 38 : 39).slice(0, 10)),
    );
  });
});
