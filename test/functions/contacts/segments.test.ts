import { beforeAll, describe, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { bothWays } from '../../support/paging.ts';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
let tag: number;

beforeAll(async () => {
  team = await newTeam();
  tag = (await data('POST', '/tags', { name: 'Tagged' })).id;
  await data('POST', '/contacts/bulk', {
    contacts: Array.from({ length: 25 }, (_, index) => ({
      email: `p${String(index).padStart(2, '0')}@example.com`,
      first_name: index % 2 ? 'Jürgen' : 'Ju\u0308rgen',
      last_name: index % 5 ? 'Straße' : undefined,
      status_if_new: index === 3 ? 'pending' : 'active',
      tag_ids: index < 12 ? [tag] : [],
    })),
  });
});

const data: Team['data'] = (...request) => team.data(...request);
const preview = (definition?: object) => data('POST', '/segments/preview', { definition });
const emails = (rows: { email: string }[]) => rows.map(({ email }) => email);

describe('/segments', () => {
  it('saves a definition as it was given, shows, renames, replaces and deletes it', async () => {
    const definition = { tag_ids: [tag], search: 'JÜRGEN', engagement: { type: 'not_opened', days: 30 } };
    const made = await data('POST', '/segments', { name: ' Quiet ones ', definition });
    expect(made).toEqual({ id: expect.any(Number), name: 'Quiet ones', definition });
    expect(await data('GET', `/segments/${made.id}`)).toEqual(made);
    const renamed = { ...made, name: 'Others' };
    expect(await data('PATCH', `/segments/${made.id}`, { name: 'Others' })).toEqual(renamed);
    const replaced = { ...renamed, definition: { company: null, tag_ids: [] } };
    expect(await data('PATCH', `/segments/${made.id}`, { name: 'Others', definition: replaced.definition })).toEqual(
      replaced,
    );
    const plain = await data('POST', '/segments', { name: 'Everybody' });
    expect(plain.definition).toEqual({});
    expect(await data('DELETE', `/segments/${made.id}`)).toEqual({ id: made.id, deleted: true });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Gone' }],
      ['DELETE', '', undefined],
      ['POST', '/preview', undefined],
    ] as const)
      expect((await team.api(method, `/segments/${made.id}${path}`, body)).status).toBe(404);
  });

  it('lists newest first, both ways', async () => {
    const own = await newTeam();
    const ids: number[] = [];
    for (let index = 0; index < 7; index++)
      ids.unshift((await own.api('POST', '/segments', { name: `Segment ${index}` })).body.data.id);
    expect((await bothWays(own, '/segments', 3)).map(({ id }) => id)).toEqual(ids);
  });

  it('refuses an invalid definition on its field, when saved, previewed and in a campaign', async () => {
    const theirs = (await (await newTeam()).api('POST', '/tags', { name: 'Theirs' })).body.data.id + 100;
    for (const [definition, field] of [
      [{ tag_ids: [tag, theirs] }, 'tag_ids.1'],
      [{ tag_ids: [tag, tag, theirs] }, 'tag_ids.2'],
      [{ tag_ids: 'all' }, 'tag_ids'],
      [{ tag_ids: Array.from({ length: 101 }, () => tag) }, 'tag_ids'],
      [{ date_from: '20.11.2026' }, 'date_from'],
      [{ date_to: '2026-02-30' }, 'date_to'],
      [{ date_from: '2026-11-02', date_to: '2026-11-01' }, 'date_to'],
      [{ search: 'x'.repeat(256) }, 'search'],
      [{ company: 7 }, 'company'],
      [{ engagement: { type: 'liked', days: 3 } }, 'engagement.type'],
      [{ engagement: { type: 'received', days: 0 } }, 'engagement.days'],
      [{ engagement: { type: 'received', days: 366 } }, 'engagement.days'],
      [{ engagement: { type: 'received' } }, 'engagement.days'],
    ] as const) {
      for (const [path, body, base] of [
        ['/segments', { name: 'Bad', definition }, 'definition'],
        ['/segments/preview', { definition }, 'definition'],
        ['/campaigns', { name: 'Bad', audience_filters: definition }, 'audience_filters'],
      ] as const) {
        const answer = await team.api('POST', path, body);
        expect([path, answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([path, 422, [`${base}.${field}`]]);
      }
    }
    expect(Object.keys((await team.api('POST', '/segments', {})).body.errors)).toEqual(['name']);
    const { id } = await data('POST', '/segments', { name: 'Good' });
    expect(Object.keys((await team.api('PATCH', `/segments/${id}`, { definition: {} })).body.errors)).toEqual(['name']);
  });
});

describe('a preview', () => {
  it('counts active contacts, echoes every filter and shows the first ten by email as contacts', async () => {
    const { count, filters, sample } = await preview();
    expect(count).toBe(24);
    expect(filters).toEqual({
      tag_ids: [],
      date_from: null,
      date_to: null,
      search: null,
      company: null,
      location: null,
      engagement: null,
    });
    expect(emails(sample)).toEqual(
      [0, 1, 2, 4, 5, 6, 7, 8, 9, 10].map((i) => `p${String(i).padStart(2, '0')}@example.com`),
    );
    expect(sample[0]).toEqual(await data('GET', '/contacts/p00@example.com'));
    const given = { tag_ids: [tag], search: 'p1', engagement: { type: 'inactive', days: 365 } };
    const narrow = await preview(given);
    expect(narrow).toMatchObject({ count: 2, filters: { ...filters, ...given } });
    expect(
      await data('POST', '/segments', { name: 'P1', definition: given }).then(({ id }) =>
        data('POST', `/segments/${id}/preview`),
      ),
    ).toEqual(narrow);
  });

  it('finds texts in any case and however their accents are composed', async () => {
    for (const search of ['jürgen', 'JU\u0308RGEN', 'Jürg']) expect((await preview({ search })).count).toBe(24);
    for (const search of ['STRASSE', 'straße']) expect((await preview({ search })).count).toBe(19);
    expect((await preview({ search: 'jurgen' })).count).toBe(0);
  });

  it('of filters that no contact matches is empty and complete', async () => {
    expect(await preview({ search: 'nobody at all' })).toMatchObject({ count: 0, sample: [] });
  });
});

it('a deleted tag matches no contact, and does not widen a segment to all contacts', async () => {
  const [gone, stays] = [await data('POST', '/tags', { name: 'Goes' }), await data('POST', '/tags', { name: 'Stays' })];
  for (const [email, id] of [
    ['p20@example.com', gone.id],
    ['p21@example.com', stays.id],
  ])
    await data('POST', `/contacts/${email}/tags`, { tag_ids: [id] });
  const only = await data('POST', '/segments', { name: 'Only', definition: { tag_ids: [gone.id] } });
  const both = await data('POST', '/segments', { name: 'Both', definition: { tag_ids: [gone.id, stays.id] } });
  const found = async (segment: { id: number }) => [
    (await data('POST', `/segments/${segment.id}/preview`)).count,
    emails(await everyRow(team, `/contacts?segment_id=${segment.id}`)),
  ];
  expect(await found(only)).toEqual([1, ['p20@example.com']]);
  expect(await found(both)).toEqual([2, ['p20@example.com', 'p21@example.com']]);
  await data('DELETE', `/tags/${gone.id}`);
  expect(await found(only)).toEqual([0, []]);
  expect(await found(both)).toEqual([1, ['p21@example.com']]);
  const { id } = await data('POST', '/campaigns', { name: 'Copy', segment_id: only.id, contact_list_id: 1 });
  expect((await data('POST', `/campaigns/${id}/preflight`)).estimated_recipients).toBe(0);
});

it('a campaign copies and keeps the definition of a segment, which replaces filters given with it', async () => {
  const definition = { search: 'p0', tag_ids: [tag] };
  const segment = await data('POST', '/segments', { name: 'Copied', definition });
  const filters = async (body: object) =>
    (await data('POST', '/campaigns', { name: 'Campaign', ...body })).audience.filters;
  expect(await filters({ segment_id: segment.id })).toEqual(definition);
  expect(await filters({ segment_id: segment.id, audience_filters: { search: 'other' } })).toEqual(definition);
  expect(await filters({ segment_id: null, audience_filters: { search: 'other' } })).toEqual({ search: 'other' });
  expect(await filters({ segment_id: null })).toBeNull();
  const { id } = await data('POST', '/campaigns', { name: 'Campaign', segment_id: segment.id });
  await data('DELETE', `/segments/${segment.id}`);
  const patch = (body: object) => team.api('PATCH', `/campaigns/${id}`, { name: 'Campaign', ...body });
  expect((await patch({ segment_id: null })).body.data.audience.filters).toEqual(definition);
  expect(Object.keys((await patch({ segment_id: segment.id })).body.errors)).toEqual(['segment_id']);
  expect((await patch({ audience_filters: null })).body.data.audience.filters).toBeNull();
});
