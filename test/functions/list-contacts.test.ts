import { beforeAll, describe, expect, it } from 'vitest';
import { everyRow } from '../support/campaign.ts';
import { newTeam, type Team } from '../support/team.ts';

let team: Team;
let list: number;
let tag: number;
const email = (index: number) => `c${String(index).padStart(3, '0')}@example.com`;

/** 120 contacts: every 2nd on the list, every 3rd tagged, every 5th unsubscribed. */
beforeAll(async () => {
  team = await newTeam();
  list = (await team.api('POST', '/lists', { name: 'Even' })).body.data.id;
  tag = (await team.api('POST', '/tags', { name: 'Thirds' })).body.data.id;
  const contacts = Array.from({ length: 120 }, (_, index) => ({
    email: email((index * 77) % 120),
    list_ids: ((index * 77) % 120) % 2 === 0 ? [list] : [],
    tag_ids: ((index * 77) % 120) % 3 === 0 ? [tag] : [],
  }));
  await team.api('POST', '/contacts/bulk', { contacts });
  for (let index = 0; index < 120; index += 5)
    await team.api('PATCH', `/contacts/${email(index)}`, { status: 'unsubscribed' });
});

const wanted = (passes: (index: number) => boolean) =>
  Array.from({ length: 120 }, (_, index) => index)
    .filter(passes)
    .map(email);
const emails = (rows: { email: string }[]) => rows.map((row) => row.email);

describe('GET /contacts', () => {
  it.each([
    ['', () => true],
    ['status=unsubscribed', (i: number) => i % 5 === 0],
    ['status=bounced', () => false],
    ['list_id=LIST', (i: number) => i % 2 === 0],
    ['tag_id=TAG', (i: number) => i % 3 === 0],
    ['tag_id=TAG&list_id=LIST', (i: number) => i % 6 === 0],
    ['tag_id=TAG&status=active', (i: number) => i % 3 === 0 && i % 5 !== 0],
    ['tag_id=TAG&list_id=LIST&status=unsubscribed', (i: number) => i % 30 === 0],
  ])('with "%s" lists exactly those that match, by email', async (query, passes) => {
    const path = `/contacts?${query.replace('LIST', String(list)).replace('TAG', String(tag))}`;
    expect(emails(await everyRow(team, path))).toEqual(wanted(passes));
  });

  it('pages forwards and backwards over a filter without a gap or a repeat', async () => {
    const all = wanted((i) => i % 3 === 0 && i % 5 !== 0);
    const path = `/contacts?tag_id=${tag}&status=active&per_page=7`;
    const pages = [];
    let { body } = await team.api('GET', path);
    for (;;) {
      pages.push(emails(body.data));
      if (!body.has_more) break;
      body = (await team.api('GET', `${path}&cursor=${body.next_cursor}`)).body;
    }
    expect(pages.flat()).toEqual(all);
    const back = [];
    while (body.prev_cursor) {
      body = (await team.api('GET', `${path}&cursor=${body.prev_cursor}`)).body;
      back.unshift(emails(body.data));
    }
    expect(back).toEqual(pages.slice(0, -1));
  });

  it('with updated_since lists what changed from that moment on, oldest change first', async () => {
    const changed = [email(31), email(7), email(55)];
    const before = (await team.api('PATCH', `/contacts/${email(90)}`, { first_name: 'Marker' })).body.data.updated_at;
    for (const each of changed)
      await team.api('PATCH', `/contacts/${each}`, { first_name: `Changed ${Math.random()}` });
    const path = `/contacts?updated_since=${encodeURIComponent(before)}`;
    expect(emails(await everyRow(team, path))).toEqual([email(90), ...changed]);
    expect(emails(await everyRow(team, `/contacts?updated_since=${before}`))).toEqual([email(90), ...changed]);
    expect(emails(await everyRow(team, `${path}&list_id=${list}`))).toEqual([email(90)]);
    await team.api('DELETE', `/contacts/${email(7)}`);
    expect(emails(await everyRow(team, path))).toEqual([email(90), email(31), email(55)]);
    await team.api('POST', '/contacts', { email: email(7) });
    expect(emails(await everyRow(team, path))).toEqual([email(90), email(31), email(55), email(7)]);
  });

  it('embeds tags and lists only when asked', async () => {
    const path = `/contacts?tag_id=${tag}&list_id=${list}&per_page=1`;
    const [both] = (await team.api('GET', `${path}&include=tags,lists`)).body.data;
    expect(both.tags).toEqual([(await team.api('GET', `/tags/${tag}`)).body.data]);
    expect(both.lists).toEqual([(await team.api('GET', `/lists/${list}`)).body.data]);
    const [plain] = (await team.api('GET', path)).body.data;
    expect(plain).not.toHaveProperty('tags');
    expect(plain).not.toHaveProperty('lists');
  });

  it('refuses unknown filters values on their field', async () => {
    const stranger = await newTeam();
    const theirs = (await stranger.api('POST', '/lists', { name: 'Theirs' })).body.data.id + 100;
    for (const [query, field] of [
      ['status=gone', 'status'],
      ['tag_id=999999', 'tag_id'],
      ['tag_id=x', 'tag_id'],
      [`list_id=${theirs}`, 'list_id'],
      ['segment_id=1', 'segment_id'],
      ['updated_since=yesterday', 'updated_since'],
      ['include=tags,friends', 'include.1'],
    ]) {
      const { status, body } = await team.api('GET', `/contacts?${query}`);
      expect([query, status, Object.keys(body.errors ?? {})]).toEqual([query, 422, [field]]);
    }
  });
});
