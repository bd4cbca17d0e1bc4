import { describe, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { startStack } from '../../support/stack.ts';
import { control, newTeam } from '../../support/team.ts';
import { email, emails, list, tag, team } from './list-contacts.setup.ts';

const wanted = (passes: (index: number) => boolean) =>
  Array.from({ length: 120 }, (_, index) => index)
    .filter(passes)
    .map(email);

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

  it('with updated_since lists the changes since then, oldest first', async () => {
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

  it('refuses a cursor that somebody altered', async () => {
    const { next_cursor } = (await team.api('GET', '/contacts')).body;
    const cursor = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
    const { d, p, b } = cursor;
    for (const forged of [
      { ...cursor, p: '\u{1f600}' },
      { ...cursor, d: 'backward' },
      { d, p, b },
      { d, p: '0', b },
    ]) {
      const text = Buffer.from(JSON.stringify(forged)).toString('base64url');
      const { status, body } = await team.api('GET', `/contacts?cursor=${text}`);
      expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['cursor']]);
    }
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

  it('embeds with one read for all tags and one for all lists of a page', async () => {
    const stack = await startStack();
    try {
      const own = await newTeam({ origin: stack.origin });
      const ids = await Promise.all([1, 2, 3].map((n) => own.api('POST', '/tags', { name: `Tag ${n}` })));
      const tag_ids = ids.map(({ body }) => body.data.id);
      const contacts = Array.from({ length: 60 }, (_, index) => ({ email: email(index), tag_ids, list_ids: [1] }));
      await own.api('POST', '/contacts/bulk', { contacts });
      const reads = async (query: string) => {
        await control('POST', '/usage', undefined, stack.origin);
        const { body } = await own.api('GET', `/contacts?per_page=50${query}`);
        expect(body.data).toHaveLength(50);
        return (await control('DELETE', '/usage', undefined, stack.origin)).body.calls['dynamodb:BatchGetItem'] ?? 0;
      };
      const plain = await reads('');
      expect([await reads('&include=tags'), await reads('&include=tags,lists')]).toEqual([plain + 1, plain + 2]);
    } finally {
      await stack.stop();
    }
  });

  it('refuses unknown filter values on their field', async () => {
    const stranger = await newTeam();
    const theirs = (await stranger.api('POST', '/lists', { name: 'Theirs' })).body.data.id + 100;
    for (const [query, field] of [
      ['status=gone', 'status'],
      ['tag_id=999999', 'tag_id'],
      ['tag_id=x', 'tag_id'],
      [`list_id=${theirs}`, 'list_id'],
      ['segment_id=999999', 'segment_id'],
      ['updated_since=yesterday', 'updated_since'],
      ['updated_since=9999-12-31T23:59:59-14:00', 'updated_since'],
      ['include=tags,friends', 'include.1'],
    ]) {
      const { status, body } = await team.api('GET', `/contacts?${query}`);
      expect([query, status, Object.keys(body.errors ?? {})]).toEqual([query, 422, [field]]);
    }
  });
});
