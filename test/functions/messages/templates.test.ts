import { beforeAll, describe, expect, it } from 'vitest';
import type { Block } from '../../../shared/domain/messages/blocks.ts';
import { everyRow, finished, messagesOf, readyCampaign } from '../../support/campaign.ts';
import { bothWays } from '../../support/paging.ts';
import { type Answer, newTeam, type Team } from '../../support/team.ts';

const unsubscribe = '<a href="{{unsubscribe_url}}">Unsubscribe</a>';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const data: Team['data'] = (...request) => team.data(...request);
const template = (body: object = {}) => data('POST', '/templates', { name: 'Mine', ...body });

function expectRefused(answer: Answer, fields: string[]): void {
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
  expect(Object.keys(answer.body.errors)).toEqual(fields);
}

const idsOf = (found: { id: number }[]) => found.map(({ id }) => id);

describe('/templates', () => {
  it('creates, shows, changes and deletes a template of exactly its fields', async () => {
    const fields = { category: 'News', style: 'plain', description: 'Monthly\nletter', html_content: '<p>Hi</p>' };
    const made = await template({ name: ' Mine ', ...fields });
    expect(made).toEqual({ id: expect.any(Number), name: 'Mine', ...fields, is_system: false });
    const path = `/templates/${made.id}`;
    expect(await data('GET', path)).toEqual(made);
    expect(await data('PATCH', path, { name: 'Other' })).toEqual({ ...made, name: 'Other' });
    const cleared = { name: 'Other', category: null, style: '', description: null, html_content: null };
    expect(await data('PATCH', path, cleared)).toEqual({ ...made, ...cleared, style: null });
    expect(await data('GET', path)).toEqual({ ...made, ...cleared, style: null });
    expect((await data('PATCH', path, { name: 'Other', html_content: '<p>New</p>' })).html_content).toBe('<p>New</p>');
    expect(await data('DELETE', path)).toEqual({ id: made.id, deleted: true });
    for (const method of ['GET', 'DELETE']) expect((await team.api(method, path)).status).toBe(404);
    expect((await team.api('PATCH', path, { name: 'Gone' })).status).toBe(404);
  });

  it('numbers the templates of each team from 1001', async () => {
    const [one, other] = [await newTeam(), await newTeam()];
    for (const own of [one, other])
      for (const id of [1_001, 1_002])
        expect((await own.api('POST', '/templates', { name: 'T' })).body.data).toMatchObject({
          id,
          html_content: null,
        });
    await one.api('POST', '/templates', { name: 'T' });
    expect((await other.api('GET', '/templates/1003')).status).toBe(404);
  });

  it('lists without HTML, newest first, the system templates last, and pages across both', async () => {
    const own = await newTeam();
    for (const category of ['News', 'offer', 'news', 'Promotion', undefined])
      await own.api('POST', '/templates', { name: 'T', category, html_content: '<p>Hi</p>' });
    const mine = [1_005, 1_004, 1_003, 1_002, 1_001];
    const system = [5, 4, 3, 2, 1];
    for (const size of [1, 3, 5, 10])
      expect(idsOf(await bothWays(own, '/templates', size))).toEqual([...mine, ...system]);
    expect(idsOf(await bothWays(own, '/templates?scope=all', 4))).toEqual([...mine, ...system]);
    expect(idsOf(await bothWays(own, '/templates?scope=team', 2))).toEqual(mine);
    expect(idsOf(await bothWays(own, '/templates?scope=system', 2))).toEqual(system);
    expect(idsOf(await bothWays(own, '/templates?category=NEWS', 1))).toEqual([1_003, 1_001]);
    expect(idsOf(await bothWays(own, '/templates?category=promotion', 1))).toEqual([1_004, 4]);
    expect(idsOf(await bothWays(own, '/templates?category=promotion&scope=system', 1))).toEqual([4]);
    expect(await bothWays(own, '/templates?category=nothing', 2)).toEqual([]);
    const rows = await everyRow(own, '/templates');
    for (const row of rows)
      expect(Object.keys(row).sort()).toEqual(['category', 'description', 'id', 'is_system', 'name', 'style']);
    expect(rows.map(({ is_system }) => is_system)).toEqual([...mine.map(() => false), ...system.map(() => true)]);
    expectRefused(await own.api('GET', '/templates?scope=mine'), ['scope']);
  });

  it('keeps a page stable while templates are created and deleted', async () => {
    const own = await newTeam();
    for (let index = 0; index < 4; index++) await own.api('POST', '/templates', { name: 'T' });
    const { next_cursor } = (await own.api('GET', '/templates?per_page=3')).body;
    await own.api('POST', '/templates', { name: 'Late' });
    await own.api('DELETE', '/templates/1002');
    const next = (await own.api('GET', `/templates?per_page=3&cursor=${next_cursor}`)).body;
    expect(idsOf(next.data)).toEqual([1_001, 5, 4]);
    expectRefused(await own.api('GET', `/templates?scope=team&per_page=3&cursor=${next_cursor}`), ['cursor']);
  });

  it('shows system templates with their HTML, and refuses to change or delete them', async () => {
    for (const id of [1, 2, 3, 4, 5]) {
      const shown = await data('GET', `/templates/${id}`);
      expect(shown).toMatchObject({ id, is_system: true, name: expect.any(String), category: expect.any(String) });
      expect(shown.html_content).toContain('{{unsubscribe_url}}');
      for (const [method, body] of [['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
        const refused = await team.api(method, `/templates/${id}`, body);
        expect([refused.status, refused.body.code]).toEqual([422, 'not_applicable']);
      }
      expect(await data('GET', `/templates/${id}`)).toEqual(shown);
    }
    for (const id of [0, 6, 1_000]) expect((await team.api('GET', `/templates/${id}`)).status).toBe(404);
  });

  it('renders blocks to HTML when they are written; blocks win over HTML', async () => {
    const blocks_json = [{ id: 'a', type: 'heading', data: { text: 'From blocks' } }];
    const made = await template({ blocks_json, html_content: '<p>From HTML</p>' });
    expect(made.html_content).toMatch(/^<!doctype html>.*From blocks<\/h2>/s);
    expect(made.html_content).not.toContain('From HTML');
    expect((await data('GET', `/templates/${made.id}`)).html_content).toBe(made.html_content);
    const kept = await data('PATCH', `/templates/${made.id}`, { name: 'Kept', blocks_json: null });
    expect(kept.html_content).toBe(made.html_content);
  });

  it.each([
    [{ name: undefined }, ['name']],
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(256) }, ['name']],
    [{ category: 'a\nb' }, ['category']],
    [{ style: 7 }, ['style']],
    [{ description: 'x'.repeat(2_001) }, ['description']],
    [{ html_content: 7 }, ['html_content']],
    [{ html_content: 'é'.repeat(100_000) }, ['html_content']],
    [{ html_content: '\ud800' }, ['html_content']],
    [{ blocks_json: 'text' }, ['blocks_json']],
  ])('refuses %j on its path', async (wrong, fields) => {
    expectRefused(await team.api('POST', '/templates', { name: 'T', ...wrong }), fields);
    const { id } = await template();
    expectRefused(await team.api('PATCH', `/templates/${id}`, { name: 'T', ...wrong }), fields);
  });
});

describe('blocks_json is refused with the path of the error:', () => {
  const good = { type: 'text', data: { text: 'ok' } };
  const columnsOf = (...blocks: unknown[]) => ({ type: 'columns', data: { columns: [{ blocks }] } });

  it.each<[unknown[], string]>([
    [[], 'blocks_json'],
    [[7], 'blocks_json.0'],
    [[{}], 'blocks_json.0.type'],
    [[good, { type: 'carousel', data: {} }], 'blocks_json.1.type'],
    [[{ type: 'text' }], 'blocks_json.0.data'],
    [[{ type: 'text', data: {} }], 'blocks_json.0.data.text'],
    [[{ type: 'text', data: { text: ' ' } }], 'blocks_json.0.data.text'],
    [[{ type: 'text', data: { text: '\ud800' } }], 'blocks_json.0.data.text'],
    [[{ type: 'text', data: { text: 'x'.repeat(20_001) } }], 'blocks_json.0.data.text'],
    [[{ type: 'heading', data: { text: 'a', level: 7 } }], 'blocks_json.0.data.level'],
    [[{ type: 'html', data: { html: 7 } }], 'blocks_json.0.data.html'],
    [[good, good, good, { type: 'button', data: { text: 'Go' } }], 'blocks_json.3.data.url'],
    ...[
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,x',
      '/relative',
      '//example.com',
      'example.com',
      '',
      'java{{x}}script:alert(1)',
      'x'.repeat(2_049),
    ].map((url): [unknown[], string] => [[{ type: 'button', data: { text: 'Go', url } }], 'blocks_json.0.data.url']),
    [[{ type: 'image', data: { src: 'mailto:a@b.example', alt: '' } }], 'blocks_json.0.data.src'],
    [[{ type: 'image', data: { src: 'https://example.com/a.png' } }], 'blocks_json.0.data.alt'],
    [
      [{ type: 'image', data: { src: 'https://example.com/a.png', alt: '', width: '50%' } }],
      'blocks_json.0.data.width',
    ],
    [[{ type: 'spacer', data: { height: -1 } }], 'blocks_json.0.data.height'],
    [[{ ...good, style: { color: 'red;}' } }], 'blocks_json.0.style.color'],
    [[{ ...good, style: { background_color: '"><x' } }], 'blocks_json.0.style.background_color'],
    [[{ ...good, style: { align: 'middle' } }], 'blocks_json.0.style.align'],
    [[{ ...good, style: { font_size: 200 } }], 'blocks_json.0.style.font_size'],
    [[{ ...good, style: { padding_left: '1px' } }], 'blocks_json.0.style.padding_left'],
    [[{ ...good, style: 'bold' }], 'blocks_json.0.style'],
    [[{ ...good, id: {} }], 'blocks_json.0.id'],
    [[{ type: 'columns', data: { columns: [] } }], 'blocks_json.0.data.columns'],
    [[{ type: 'columns', data: { columns: Array(5).fill({ blocks: [] }) } }], 'blocks_json.0.data.columns'],
    [
      [columnsOf(good, { type: 'button', data: { text: 'x', url: 'x' } })],
      'blocks_json.0.data.columns.0.blocks.1.data.url',
    ],
    [[columnsOf(columnsOf(good))], 'blocks_json.0.data.columns.0.blocks.0.type'],
    [Array(201).fill(good), 'blocks_json'],
    [Array(2).fill(columnsOf(...Array(100).fill(good))), 'blocks_json'],
    [Array(5).fill({ type: 'html', data: { html: '<p>x</p>'.repeat(10_000) } }), 'blocks_json'],
  ])('%.100j', async (blocks_json, path) => {
    expectRefused(await team.api('POST', '/templates', { name: 'T', blocks_json }), [path]);
  });

  it('and accepted with unknown keys, merge tags as addresses, nulls, and the maximum of blocks', async () => {
    const blocks_json = [
      { ...good, id: 1, style: { unknown: {}, color: null, padding: 0 }, extra: true },
      { type: 'divider' },
      { type: 'spacer', data: { height: null }, style: null },
      { type: 'button', data: { text: 'Go', url: ' {{metadata.link | default: "https://example.com/?a=1"}} ' } },
      { type: 'button', data: { text: 'Write', url: 'mailto:ann@example.com?subject={{first_name}}' } },
      { type: 'image', data: { src: '{{logo}}', alt: '', url: 'https://example.com/{{email}}' } },
      ...Array(93).fill(good),
      columnsOf(...Array(100).fill(good)),
    ];
    expect((await team.api('POST', '/templates', { name: 'T', blocks_json })).status).toBe(200);
  });
});

describe('a campaign made from a template', () => {
  const blockers = async (id: number) => (await data('POST', `/campaigns/${id}/preflight`)).blockers;
  const campaign = (body: object = {}) => data('POST', '/campaigns', { name: 'News', ...body });
  const put = (id: number, body: object) => team.api('PUT', `/campaigns/${id}/content`, body);

  /** The message of a campaign's only recipient. */
  async function received(content: { html?: string; text?: string; before?: (id: number) => Promise<unknown> } = {}) {
    const ann = { email: 'ann@example.com', first_name: 'Ann <b>', metadata: { page: '?a=1&b=2' } };
    const { campaign: id } = await readyCampaign(team, [ann], { html: content.html, text: content.text });
    await content.before?.(id);
    expect(await blockers(id)).toEqual([]);
    expect((await team.api('POST', `/campaigns/${id}/send`)).status).toBe(200);
    expect((await finished(team, id)).status).toBe('sent');
    return (await messagesOf(team, id)).get('ann@example.com')!;
  }

  it('keeps its copy when the template is changed or deleted', async () => {
    const made = await template({ html_content: `<p>First</p>${unsubscribe}` });
    const message = await received({
      text: 'Old text',
      before: async (id) => {
        expect((await put(id, { template_id: made.id })).body.data.template_id).toBe(made.id);
        await data('PATCH', `/templates/${made.id}`, { name: 'Mine', html_content: '<p>Second</p>' });
        await data('DELETE', `/templates/${made.id}`);
        const kept = await data('PATCH', `/campaigns/${id}`, { name: 'Still', template_id: made.id });
        expect(kept.template_id).toBe(made.id);
      },
    });
    expect(message.html).toContain('<p>First</p>');
    // The text is the copy's too.
    expect(message.text).toMatch(/^First\n/);
  });

  it.each([1, 2, 3, 4, 5])('of the system may be sent as it is: %i', async (template_id) => {
    const message = await received({ before: (id) => put(id, { template_id }) });
    expect(message.html).toContain('Ann &#60;b&#62;');
    expect(message.html).not.toMatch(/\{\{|mwslot/);
    expect(message.text).toContain('Ann <b>');
    expect(message.text).toMatch(/Unsubscribe \[http[^\]]+\/unsubscribe\//);
  });

  it('or of blocks is sent as HTML with merged values', async () => {
    const blocks_json: Block[] = [
      { type: 'heading', data: { text: 'Hello {{first_name | default: "there"}}' } },
      { type: 'text', data: { text: 'Ben & {{last_name | default: "nobody"}}' } },
      { type: 'button', data: { text: 'Page', url: 'https://example.com/{{metadata.page | default: "start"}}' } },
      { type: 'html', data: { html: unsubscribe } },
    ];
    const message = await received({
      before: async (id) => expect((await put(id, { blocks_json, html_content: '<p>HTML</p>' })).status).toBe(200),
    });
    expect(message.html).toContain('>Hello Ann &#60;b&#62;</h2>');
    expect(message.html).toContain('>Ben &#38; nobody</div>');
    expect(message.html).not.toContain('<p>HTML</p>');
    expect(message.text).toContain('Hello Ann <b>\n\nBen & nobody');
    expect(message.text).toContain('Page [https://example.com/?a=1&b=2]');
  });

  it('has its body from creation, and another with another template until it has its own', async () => {
    const [bare, whole] = [
      await template({ html_content: '<p>Bare</p>' }),
      await template({ html_content: unsubscribe }),
    ];
    const made = await campaign({ template_id: bare.id });
    expect(made.template_id).toBe(bare.id);
    const path = `/campaigns/${made.id}`;
    expect(await blockers(made.id)).toContain('unsubscribe_link_missing');
    await data('PATCH', path, { name: 'News', template_id: whole.id });
    expect(await blockers(made.id)).not.toContain('unsubscribe_link_missing');
    await data('PATCH', path, { name: 'News', template_id: bare.id });
    expect(await blockers(made.id)).toContain('unsubscribe_link_missing');
    // The same template copies nothing: it may have been edited since.
    await data('PATCH', `/templates/${bare.id}`, { name: 'Mine', html_content: unsubscribe });
    await data('PATCH', path, { name: 'News', template_id: bare.id });
    expect(await blockers(made.id)).toContain('unsubscribe_link_missing');
    // Its own body stays with any template.
    await put(made.id, { html_content: '<p>Own</p>' });
    expect((await data('PATCH', path, { name: 'News', template_id: whole.id })).template_id).toBe(whole.id);
    expect(await blockers(made.id)).toContain('unsubscribe_link_missing');
    // Setting the content copies the template.
    await put(made.id, { template_id: whole.id });
    expect(await blockers(made.id)).not.toContain('unsubscribe_link_missing');
    // Without a template the body stays; after it is cleared a template is copied again.
    expect((await data('PATCH', path, { name: 'News', template_id: null })).template_id).toBeNull();
    expect(await blockers(made.id)).not.toContain('content_missing');
    await put(made.id, { html_content: null });
    expect(await blockers(made.id)).toContain('content_missing');
    await data('PATCH', path, { name: 'News', template_id: 1 });
    expect(await blockers(made.id)).not.toContain('content_missing');
  });

  it('takes its content from HTML or blocks before the template', async () => {
    const { id } = await template({ html_content: unsubscribe });
    const made = await campaign();
    expect((await put(made.id, { template_id: id, html_content: '<p>Own</p>' })).body.data.template_id).toBe(id);
    expect(await blockers(made.id)).toContain('unsubscribe_link_missing');
    await put(made.id, { template_id: id, html_content: null });
    expect(await blockers(made.id)).not.toContain('unsubscribe_link_missing');
    await put(made.id, { template_id: id, blocks_json: [{ type: 'text', data: { text: 'Own' } }] });
    expect(await blockers(made.id)).toContain('unsubscribe_link_missing');
    await put(made.id, { template_id: null });
    expect((await data('GET', `/campaigns/${made.id}`)).template_id).toBeNull();
  });

  it("is refused a template that is unknown or another team's, and stays as it was", async () => {
    const other = await newTeam();
    let foreign = 0;
    const mine = (await template()).id;
    while (foreign <= mine) foreign = (await other.api('POST', '/templates', { name: 'Theirs' })).body.data.id;
    const made = await campaign();
    for (const template_id of [foreign, 6, 999_999]) {
      expectRefused(await team.api('POST', '/campaigns', { name: 'N', template_id }), ['template_id']);
      expectRefused(await team.api('PATCH', `/campaigns/${made.id}`, { name: 'N', template_id }), ['template_id']);
      expectRefused(await put(made.id, { template_id }), ['template_id']);
    }
    expect(await data('GET', `/campaigns/${made.id}`)).toEqual(made);
    expect(await blockers(made.id)).toContain('content_missing');
  });
});
