import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { everyRow } from '../support/campaign.ts';
import { newTeam, type Team } from '../support/team.ts';

const people = 12;
const operations = 240;
const lanes = 8;

let team: Team;
const ids: { list_ids: number[]; tag_ids: number[] } = { list_ids: [], tag_ids: [] };

beforeAll(async () => {
  team = await newTeam();
  for (let index = 0; index < 4; index++) {
    ids.list_ids.push((await team.api('POST', '/lists', { name: `List ${index}` })).body.data.id);
    ids.tag_ids.push((await team.api('POST', '/tags', { name: `Tag ${index}` })).body.data.id);
  }
});

const email = fc.nat(people - 1).map((index) => `p${index}@example.com`);
const memberships = fc.record({
  list_ids: fc.subarray([0, 1, 2, 3]).map((places) => places.map((place) => ids.list_ids[place]!)),
  tag_ids: fc.subarray([0, 1, 2, 3]).map((places) => places.map((place) => ids.tag_ids[place]!)),
});
const place = fc.nat(3);

/** Any write of the audience, as a function that makes the call; answers of records that are gone are fine. */
const write = fc.oneof(
  fc.tuple(email, memberships).map(
    ([to, all]) =>
      () =>
        team.api('POST', '/contacts', { email: to, ...all }),
  ),
  fc.tuple(fc.array(email, { minLength: 2, maxLength: people }), memberships).map(
    ([to, all]) =>
      () =>
        team.api('POST', '/contacts/bulk', { contacts: to.map((each) => ({ email: each })), ...all }),
  ),
  fc.tuple(email, memberships).map(
    ([to, all]) =>
      () =>
        team.api('PATCH', `/contacts/${to}`, all),
  ),
  email.map((to) => () => team.api('DELETE', `/contacts/${to}`)),
  email.map((to) => () => team.api('POST', `/contacts/${to}/erase`)),
  fc.tuple(email, place).map(
    ([to, at]) =>
      () =>
        team.api('DELETE', `/contacts/${to}/tags/${ids.tag_ids[at]}`),
  ),
  fc.tuple(place, fc.array(fc.integer({ min: 1, max: 60 }))).map(
    ([at, contact_ids]) =>
      () =>
        team.api('POST', `/lists/${ids.list_ids[at]}/contacts`, { contact_ids }),
  ),
);

it('counts of lists and tags equal a recount after a random run of concurrent writes', async () => {
  const writes = fc.sample(write, { seed: 20261120, numRuns: operations });
  const statuses = new Set<number>();
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let index = lane; index < writes.length; index += lanes) statuses.add((await writes[index]!()).status);
    }),
  );
  expect([...statuses].filter((status) => status !== 200 && status !== 404)).toEqual([]);
  const contacts = await everyRow(team, '/contacts?include=tags,lists');
  for (const [kind, path, embedded] of [
    ['list_ids', 'lists', 'lists'],
    ['tag_ids', 'tags', 'tags'],
  ] as const) {
    for (const id of ids[kind]) {
      const shown = contacts.filter((contact) => contact[embedded].some((each: { id: number }) => each.id === id));
      const indexed = await everyRow(team, `/contacts?${kind.replace('_ids', '_id')}=${id}`);
      expect(indexed.map((contact) => contact.email)).toEqual(shown.map((contact) => contact.email));
      expect((await team.api('GET', `/${path}/${id}`)).body.data.contacts_count).toBe(shown.length);
    }
  }
  const found = await everyRow(team, '/contacts?updated_since=2020-01-01');
  expect(found.map((contact) => contact.email).sort()).toEqual(contacts.map((contact) => contact.email));
});
