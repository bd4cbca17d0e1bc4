import { beforeAll, describe, expect, it } from 'vitest';
import { finished, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { bothWays } from '../../support/paging.ts';
import { type Answer, newTeam, type Team } from '../../support/team.ts';

const unsubscribe = '<a href="{{unsubscribe_url}}">Unsubscribe</a>';

let team: Team;
let list: number;
/** A campaign that was sent to one contact. */
let sent: number;

beforeAll(async () => {
  team = await newTeam();
  ({ list, campaign: sent } = await readyCampaign(team, rows(1)));
  await team.api('POST', `/campaigns/${sent}/send`);
  await finished(team, sent);
});

const data: Team['data'] = (...request) => team.data(...request);
const create = (body: object = {}) => data('POST', '/campaigns', { name: 'News', ...body });

function expectRefused(answer: Answer, fields: string[]): void {
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
  expect(Object.keys(answer.body.errors)).toEqual(fields);
}

function expectNotApplicable(answer: Answer): void {
  expect([answer.status, answer.body.code]).toEqual([422, 'not_applicable']);
}

describe('POST /campaigns', () => {
  it('makes a draft of exactly the fields of a campaign', async () => {
    expect(await create()).toEqual({
      id: expect.any(Number),
      name: 'News',
      subject: null,
      preheader: null,
      from_name: null,
      from_email: null,
      reply_to: null,
      status: 'draft',
      audience: { source: 'list', contact_list_id: null, filters: null },
      template_id: null,
      ab_test: {
        enabled: false,
        percentage: null,
        winner_metric: null,
        delay_minutes: null,
        winner_variant_id: null,
      },
      total_recipients: 0,
      sent_count: 0,
      failed_count: 0,
      failure_reason: null,
      scheduled_at: null,
      sent_at: null,
    });
  });

  it('stores the given values: text trimmed, addresses in lower case, filters as they are', async () => {
    const tag = (await data('POST', '/tags', { name: 'Kept' })).id;
    const audience_filters = {
      tag_ids: [tag],
      date_from: '2026-01-01',
      search: 'ann',
      engagement: { type: 'not_opened', days: 30 },
    };
    const made = await create({
      name: '  News of May 🌷 ',
      subject: 'Hello {{first_name | default: "there"}}',
      preheader: 'Soon',
      from_name: 'Ann & Söhne',
      from_email: ' News@Shop.Example ',
      reply_to: 'Reply@Shop.Example',
      contact_list_id: list,
      audience_filters,
    });
    expect(made).toMatchObject({
      name: 'News of May 🌷',
      subject: 'Hello {{first_name | default: "there"}}',
      preheader: 'Soon',
      from_name: 'Ann & Söhne',
      from_email: 'news@shop.example',
      reply_to: 'reply@shop.example',
      audience: { source: 'list', contact_list_id: list, filters: audience_filters },
    });
    expect(await data('GET', `/campaigns/${made.id}`)).toEqual(made);
  });

  it('gives an A/B test its defaults, and each value that is given', async () => {
    expect((await create({ ab_test_enabled: true })).ab_test).toEqual({
      enabled: true,
      percentage: 20,
      winner_metric: 'opens',
      delay_minutes: 240,
      winner_variant_id: null,
    });
    const chosen = { ab_test_percentage: 50, ab_winner_metric: 'clicks', ab_test_delay_minutes: 60 };
    const made = await create({ ab_test_enabled: true, ...chosen });
    expect(made.ab_test).toMatchObject({ percentage: 50, winner_metric: 'clicks', delay_minutes: 60 });
    // Values chosen before stay when the test is switched on later.
    const later = await create(chosen);
    const { ab_test } = await data('PATCH', `/campaigns/${later.id}`, { name: 'News', ab_test_enabled: true });
    expect(ab_test).toMatchObject({ enabled: true, percentage: 50, winner_metric: 'clicks', delay_minutes: 60 });
  });

  it.each([
    [{ name: undefined }, ['name']],
    [{ name: ' ' }, ['name']],
    [{ name: 7 }, ['name']],
    [{ name: 'x'.repeat(256) }, ['name']],
    [{ name: 'News\r\nBcc: all@example.com' }, ['name']],
    [{ subject: 'Hello\r\nBcc: all@example.com' }, ['subject']],
    [{ subject: 'Hello\nthere' }, ['subject']],
    [{ subject: 'Hello\u0000' }, ['subject']],
    [{ subject: 'x'.repeat(256) }, ['subject']],
    [{ preheader: 'Soon\r\n' + 'x: y' }, ['preheader']],
    [{ from_name: 'Ann\r\nBcc: all@example.com' }, ['from_name']],
    [{ from_name: 'Ann\u007f' }, ['from_name']],
    [{ from_email: 'not an address' }, ['from_email']],
    [{ from_email: 'ann@shop.example\r\nBcc: all@example.com' }, ['from_email']],
    [{ reply_to: 'ann@shop.example, bob@shop.example' }, ['reply_to']],
    [{ audience_source: 'everybody' }, ['audience_source']],
    [{ contact_list_id: 999_999 }, ['contact_list_id']],
    [{ contact_list_id: 'all' }, ['contact_list_id']],
    [{ contact_list_id: 1.5 }, ['contact_list_id']],
    [{ segment_id: 1 }, ['segment_id']],
    [{ template_id: 1_001 }, ['template_id']],
    [{ segment_id: 1, template_id: 1_001, contact_list_id: 999_999 }, ['contact_list_id', 'segment_id', 'template_id']],
    [{ audience_filters: { tag_ids: [999_999] } }, ['audience_filters.tag_ids.0']],
    [{ audience_filters: { date_from: 'yesterday' } }, ['audience_filters.date_from']],
    [{ audience_filters: { engagement: { type: 'loved', days: 1 } } }, ['audience_filters.engagement.type']],
    [{ audience_filters: { engagement: { type: 'opened', days: 366 } } }, ['audience_filters.engagement.days']],
    [{ ab_test_percentage: 0 }, ['ab_test_percentage']],
    [{ ab_test_percentage: 101 }, ['ab_test_percentage']],
    [{ ab_winner_metric: 'replies' }, ['ab_winner_metric']],
    [{ ab_test_delay_minutes: 0 }, ['ab_test_delay_minutes']],
    [{ ab_test_enabled: 'yes' }, ['ab_test_enabled']],
  ])('refuses %j on its path and writes nothing', async (wrong, fields) => {
    const before = (await team.api('GET', '/campaigns?per_page=1')).body.data;
    const answer = await team.api('POST', '/campaigns', { name: 'News', ...wrong });
    expectRefused({ ...answer, body: { ...answer.body, errors: sorted(answer.body.errors) } }, fields);
    expect((await team.api('GET', '/campaigns?per_page=1')).body.data).toEqual(before);
  });

  it("refuses another team's list and tag as it refuses unknown ones", async () => {
    const other = await newTeam();
    // Ids count per team: only ids beyond this team's own are certainly another's.
    let foreign = 0;
    while (foreign <= list) foreign = (await other.api('POST', '/lists', { name: 'Theirs' })).body.data.id;
    expectRefused(await team.api('POST', '/campaigns', { name: 'News', contact_list_id: foreign }), [
      'contact_list_id',
    ]);
  });
});

const sorted = (errors: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1)));

describe('PATCH /campaigns/{campaign}', () => {
  it('changes the given fields, clears on null and on an empty text, and keeps the rest', async () => {
    const made = await create({
      subject: 'Hello',
      preheader: 'Soon',
      from_name: 'Ann',
      from_email: 'ann@shop.example',
      reply_to: 'bob@shop.example',
      contact_list_id: list,
      audience_filters: { search: 'a' },
    });
    const path = `/campaigns/${made.id}`;
    expect(await data('PATCH', path, { name: 'Other' })).toEqual({ ...made, name: 'Other' });
    const cleared = await data('PATCH', path, {
      name: 'Other',
      subject: null,
      preheader: '',
      reply_to: null,
      audience_filters: null,
    });
    expect(cleared).toEqual({
      ...made,
      name: 'Other',
      subject: null,
      preheader: null,
      reply_to: null,
      audience: { source: 'list', contact_list_id: list, filters: null },
    });
    expectRefused(await team.api('PATCH', path, { name: 'Other', contact_list_id: 999_999, from_name: 'X' }), [
      'contact_list_id',
    ]);
    expectRefused(await team.api('PATCH', path, { subject: 'No name' }), ['name']);
    expect(await data('GET', path)).toEqual(cleared);
  });
});

describe('PUT /campaigns/{campaign}/content', () => {
  const put = (id: number, body: object) => team.api('PUT', `/campaigns/${id}/content`, body);
  const blockers = async (id: number) => (await data('POST', `/campaigns/${id}/preflight`)).blockers;

  it('sets each part, keeps an absent one, and clears on null', async () => {
    const made = await create();
    expect(await blockers(made.id)).toContain('content_missing');
    const set = await put(made.id, { html_content: '<p>Hi</p>' });
    expect([set.status, set.body.data]).toEqual([200, made]);
    expect(await blockers(made.id)).toContain('unsubscribe_link_missing');
    await put(made.id, { html_content: null, plain_content: 'Bye: {{unsubscribe_url}}' });
    expect(await blockers(made.id)).not.toContain('unsubscribe_link_missing');
    await put(made.id, { html_content: unsubscribe });
    await put(made.id, { plain_content: null });
    expect(await blockers(made.id)).not.toContain('unsubscribe_link_missing');
    await put(made.id, { html_content: null });
    expect(await blockers(made.id)).toContain('content_missing');
  });

  it('refuses an invalid part on its path, and keeps what was there', async () => {
    const made = await create();
    await put(made.id, { html_content: unsubscribe });
    expectRefused(await put(made.id, { html_content: 7 }), ['html_content']);
    expectRefused(await put(made.id, { html_content: 'é'.repeat(100_000) }), ['html_content']);
    expectRefused(await put(made.id, { html_content: 'x', template_id: 1_001 }), ['template_id']);
    expectRefused(await put(made.id, { html_content: 'x', blocks_json: [{}] }), ['blocks_json.0.type']);
    expect(await blockers(made.id)).not.toContain('unsubscribe_link_missing');
  });

  it('accepts both parts at their largest', async () => {
    const made = await create();
    const body = { html_content: 'x'.repeat(180_000), plain_content: 'x'.repeat(180_000) };
    expect((await put(made.id, body)).status).toBe(200);
  });
});

describe('concurrent edits', () => {
  it('are all kept: parts of the body, and an A/B test with its fields', async () => {
    const blockers = async (id: number) => (await data('POST', `/campaigns/${id}/preflight`)).blockers;
    for (let round = 0; round < 5; round++) {
      const { id } = await create();
      const variants = ['A', 'B'].map((label) => ({ label, subject: label }));
      await Promise.all([
        data('PUT', `/campaigns/${id}/content`, { html_content: '<p>Hi</p>' }),
        data('PUT', `/campaigns/${id}/content`, { plain_content: unsubscribe }),
        data('PATCH', `/campaigns/${id}`, { name: 'Edited', ab_test_percentage: null, ab_winner_metric: null }),
        data('POST', `/campaigns/${id}/variants`, { variants }),
      ]);
      const { name, ab_test } = await data('GET', `/campaigns/${id}`);
      expect([name, ab_test.enabled, ab_test.percentage, ab_test.winner_metric]).toEqual(['Edited', true, 20, 'opens']);
      expect(await blockers(id)).toContain('unsubscribe_link_missing');
      await data('PUT', `/campaigns/${id}/content`, { html_content: null });
      expect(await blockers(id)).not.toContain('content_missing');
    }
  });
});

describe('GET /campaigns', () => {
  it('lists newest first, by status if requested, and pages both ways', async () => {
    const own = await newTeam();
    const ids: number[] = [];
    for (let index = 0; index < 7; index++)
      ids.unshift((await own.api('POST', '/campaigns', { name: `No ${index}` })).body.data.id);
    const cancelled = ids.filter((_, index) => index % 2 === 0);
    for (const id of cancelled) await own.api('POST', `/campaigns/${id}/cancel`);
    const idsOf = (found: { id: number }[]) => found.map(({ id }) => id);
    expect(idsOf(await bothWays(own, '/campaigns', 3))).toEqual(ids);
    expect(idsOf(await bothWays(own, '/campaigns', 7))).toEqual(ids);
    expect(idsOf(await bothWays(own, '/campaigns?status=cancelled', 2))).toEqual(cancelled);
    expect(await bothWays(own, '/campaigns?status=sent', 2)).toEqual([]);
    expect((await own.api('GET', '/campaigns')).body.data[0]).toEqual(
      (await own.api('GET', `/campaigns/${ids[0]}`)).body.data,
    );
    expectRefused(await own.api('GET', '/campaigns?status=unsent'), ['status']);
    // A page is stable: a campaign created meanwhile shifts nothing.
    const { next_cursor } = (await own.api('GET', '/campaigns?per_page=3')).body;
    await own.api('POST', '/campaigns', { name: 'Late' });
    await own.api('DELETE', `/campaigns/${ids[4]}`);
    const next = await own.api('GET', `/campaigns?per_page=3&cursor=${next_cursor}`);
    expect(idsOf(next.body.data)).toEqual([ids[3], ids[5], ids[6]]);
    const other = await own.api('GET', `/campaigns?per_page=3&status=cancelled&cursor=${next_cursor}`);
    expectRefused(other, ['cursor']);
  });
});

describe('POST /campaigns/{campaign}/preflight and /send', () => {
  /** A campaign without blockers, and the blocker of each change of it. */
  const whole = () => ({
    subject: 'Hello',
    from_email: `news@${team.domain}`,
    contact_list_id: list,
  });
  const cases: [string, object, object, string[]][] = [
    [
      'nothing at all',
      { subject: null, from_email: null, contact_list_id: null },
      {},
      ['subject_missing', 'content_missing', 'from_email_missing', 'audience_missing'],
    ],
    ['no subject', { subject: null }, { html_content: unsubscribe }, ['subject_missing']],
    ['no content', {}, {}, ['content_missing']],
    ['no sender', { from_email: null }, { html_content: unsubscribe }, ['from_email_missing']],
    [
      'an unknown domain',
      { from_email: 'a@nobody.example' },
      { html_content: unsubscribe },
      ['sending_domain_unverified'],
    ],
    ['no unsubscribe link', {}, { html_content: '<p>Hi</p>' }, ['unsubscribe_link_missing']],
    [
      'an unsubscribe link in the text only',
      {},
      { html_content: '<p>Hi</p>', plain_content: '{{unsubscribe_url}}' },
      ['unsubscribe_link_missing'],
    ],
    ['no list', { contact_list_id: null }, { html_content: unsubscribe }, ['audience_missing']],
    [
      'filters that match no contact',
      { audience_filters: { search: 'nobody-like-this' } },
      { html_content: unsubscribe },
      ['audience_empty'],
    ],
    ['an A/B test without variants', { ab_test_enabled: true }, { html_content: unsubscribe }, ['variants_missing']],
    [
      'a warehouse audience',
      { audience_source: 'warehouse', contact_list_id: null },
      { html_content: unsubscribe },
      ['warehouse_not_configured'],
    ],
  ];

  it.each(cases)('name the same blockers for %s, and nothing is sent', async (_name, fields, content, expected) => {
    const { id } = await create({ ...whole(), ...fields });
    await data('PUT', `/campaigns/${id}/content`, content);
    const before = await data('GET', `/campaigns/${id}`);
    const preflight = await data('POST', `/campaigns/${id}/preflight`);
    expect(preflight).toMatchObject({ campaign_id: id, status: 'draft', launchable: false, blockers: expected });
    const refused = await team.api('POST', `/campaigns/${id}/send`);
    expect([refused.status, refused.body.code, refused.body.blockers]).toEqual([422, 'send_blocked', expected]);
    expect(await data('GET', `/campaigns/${id}`)).toEqual(before);
  });

  it('refuse a domain that another team has verified', async () => {
    const other = await newTeam();
    const { id } = await create({ ...whole(), from_email: `news@${other.domain}` });
    await data('PUT', `/campaigns/${id}/content`, { html_content: unsubscribe });
    expect((await data('POST', `/campaigns/${id}/preflight`)).blockers).toEqual(['sending_domain_unverified']);
  });

  it('preflight changes nothing, counts the audience, and reports when a campaign is past sending', async () => {
    const { id } = await create(whole());
    await data('PUT', `/campaigns/${id}/content`, { html_content: unsubscribe });
    const before = await data('GET', `/campaigns/${id}`);
    for (let again = 0; again < 2; again++)
      expect(await data('POST', `/campaigns/${id}/preflight`)).toEqual({
        campaign_id: id,
        status: 'draft',
        launchable: true,
        blockers: [],
        estimated_recipients: 1,
        recipients_exact: true,
        allowance_remaining: null,
        estimated_seconds: 1,
        estimated_cost_usd: 0.01,
        estimated_cost_parts: { ses_pricing_plan: 'ESSENTIALS', ses_usd: 0.0002, infrastructure_usd: 0 },
        warnings: [],
      });
    expect(await data('GET', `/campaigns/${id}`)).toEqual(before);
    expect((await messagesOf(team, id)).size).toBe(0);
    const warehouse = await create({ ...whole(), audience_source: 'warehouse' });
    expect((await data('POST', `/campaigns/${warehouse.id}/preflight`)).estimated_recipients).toBeNull();
    expect(await data('POST', `/campaigns/${sent}/preflight`)).toMatchObject({ status: 'sent', launchable: false });
  });
});

describe('a campaign that was sent', () => {
  it('cannot be changed, sent again or cancelled', async () => {
    const before = await data('GET', `/campaigns/${sent}`);
    expect(before).toMatchObject({ status: 'sent', sent_count: 1, failed_count: 0, total_recipients: 1 });
    expectNotApplicable(await team.api('PATCH', `/campaigns/${sent}`, { name: 'Other' }));
    expectNotApplicable(await team.api('PUT', `/campaigns/${sent}/content`, { html_content: 'Other' }));
    expectNotApplicable(await team.api('POST', `/campaigns/${sent}/send`));
    expectNotApplicable(await team.api('POST', `/campaigns/${sent}/cancel`));
    expect(await data('GET', `/campaigns/${sent}`)).toEqual(before);
    expect((await messagesOf(team, sent)).size).toBe(1);
  });

  it('can be deleted, and is then not found', async () => {
    const { campaign } = await readyCampaign(team, rows(1));
    await team.api('POST', `/campaigns/${campaign}/send`);
    expectNotApplicable(await team.api('DELETE', `/campaigns/${campaign}`));
    await finished(team, campaign);
    expect(await data('DELETE', `/campaigns/${campaign}`)).toEqual({ id: campaign, deleted: true });
    for (const path of ['', '/report', '/recipients'])
      expect((await team.api('GET', `/campaigns/${campaign}${path}`)).status).toBe(404);
    expect((await team.api('DELETE', `/campaigns/${campaign}`)).status).toBe(404);
    expect((await data('GET', '/campaigns')).map(({ id }: { id: number }) => id)).not.toContain(campaign);
  });
});

describe('a cancelled draft', () => {
  it('stays cancelled: it cannot be changed, sent or cancelled again, only deleted', async () => {
    const { id } = await create();
    expect((await data('POST', `/campaigns/${id}/cancel`)).status).toBe('cancelled');
    expectNotApplicable(await team.api('POST', `/campaigns/${id}/cancel`));
    expectNotApplicable(await team.api('PATCH', `/campaigns/${id}`, { name: 'Other' }));
    expectNotApplicable(await team.api('POST', `/campaigns/${id}/send`));
    expect(await data('DELETE', `/campaigns/${id}`)).toEqual({ id, deleted: true });
  });
});
