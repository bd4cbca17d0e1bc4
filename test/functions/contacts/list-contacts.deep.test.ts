import { describe, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { bothWays } from '../../support/paging.ts';
import { email, emails, list, tag, team } from './list-contacts.setup.ts';

describe('GET /contacts', () => {
  it('lists exactly the contacts that match all given filters, forwards and backwards', async () => {
    const segment = async (name: string, definition: object) =>
      (await team.api('POST', '/segments', { name, definition })).body.data.id;
    const later = (await team.api('POST', '/tags', { name: 'Now' })).body.data.created_at;
    for (let index = 0; index < 120; index += 4)
      await team.api('PATCH', `/contacts/${email(index)}`, { last_name: index % 8 ? 'Eighth' : 'Fourth' });
    for (let index = 0; index < 120; index += 17) await team.api('DELETE', `/contacts/${email(index)}`);
    const text = await segment('Text', { search: 'eighth' });
    const tagged = await segment('Tagged', { tag_ids: [tag], search: '@example' });
    const all = await everyRow(team, '/contacts?include=tags,lists');
    const on = (kind: 'tags' | 'lists', id: number) => (row: { tags: { id: number }[]; lists: { id: number }[] }) =>
      row[kind].some((each) => each.id === id);
    // biome-ignore lint/suspicious/noExplicitAny: rows of the API
    const filters: Record<string, [string, (row: any) => boolean][]> = {
      status: ['active', 'unsubscribed', 'pending'].map((status) => [
        `status=${status}`,
        (row) => row.status === status,
      ]),
      tag: [[`tag_id=${tag}`, on('tags', tag)]],
      list: [[`list_id=${list}`, on('lists', list)]],
      segment: [
        [`segment_id=${text}`, (row) => row.last_name === 'Eighth'],
        [`segment_id=${tagged}`, on('tags', tag)],
      ],
      since: [[`updated_since=${later}`, (row) => row.updated_at >= later]],
    };
    const choices = Object.values(filters).reduce<[string, (row: never) => boolean][]>(
      (made, group) =>
        made.flatMap(([query, passes]) => [
          [query, passes] as [string, (row: never) => boolean],
          ...group.map(([more, also]): [string, (row: never) => boolean] => [
            `${query}&${more}`,
            (row) => passes(row) && also(row),
          ]),
        ]),
      [['', () => true]],
    );
    expect(choices).toHaveLength(4 * 2 * 2 * 3 * 2);
    const found: Record<string, string[]> = {};
    const wantedOf: Record<string, string[]> = {};
    for (const [query, passes] of choices) {
      const changed = query.includes('updated_since');
      const rows = await bothWays(team, `/contacts?${query.slice(1)}`, 13);
      found[query] = changed ? emails(rows).sort() : emails(rows);
      wantedOf[query] = emails(all.filter((row) => passes(row as never)));
      const order = rows.map((row) => row.updated_at);
      if (changed) expect(order).toEqual([...order].sort());
    }
    expect(found).toEqual(wantedOf);
  });
});
