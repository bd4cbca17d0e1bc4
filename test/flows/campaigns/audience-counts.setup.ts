import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { everyRow, idle } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { idRows, type RawTable, rawTable } from '../../support/table.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

const people = 12;
const operations = 80;
const concurrency = 8;
/** So many lists and tags stay; the others may be deleted. */
const staying = 4;
const doomed = 3;

let folder: string;
let stack: Stack;
let table: RawTable;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-counts-'));
  stack = await startStack({ data: folder });
  table = await rawTable(folder);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});
const clear = () => control('DELETE', '/faults', undefined, stack.origin);
afterEach(clear);

interface Audience {
  team: Team;
  list_ids: number[];
  tag_ids: number[];
}

type Write = (audience: Audience) => Promise<Answer>;

const email = fc.nat(people - 1).map((index) => `p${index}@example.com`);
const place = fc.nat(staying + doomed - 1);
const places = fc.subarray([...Array(staying + doomed).keys()], { maxLength: 4 });
/** Contacts get increasing ids; an erased one returns under a new id. */
const contactId = fc.integer({ min: 1, max: 60 });
const memberships = fc.record({ list_ids: places, tag_ids: places });
type Memberships = { list_ids: number[]; tag_ids: number[] };
const idsOf = ({ list_ids, tag_ids }: Audience, of: Memberships) => ({
  list_ids: of.list_ids.map((at) => list_ids[at]!),
  tag_ids: of.tag_ids.map((at) => tag_ids[at]!),
});

/** Any write of the audience. */
const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(email, memberships).map(
      ([to, of]): Write =>
        (all) =>
          all.team.api('POST', '/contacts', { email: to, ...idsOf(all, of) }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.array(email, { minLength: 2, maxLength: people }), memberships).map(
      ([to, of]): Write =>
        (all) =>
          all.team.api('POST', '/contacts/bulk', { contacts: to.map((each) => ({ email: each })), ...idsOf(all, of) }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(email, memberships).map(
      ([to, of]): Write =>
        (all) =>
          all.team.api('PATCH', `/contacts/${to}`, idsOf(all, of)),
    ),
  },
  {
    weight: 3,
    arbitrary: email.map(
      (to): Write =>
        ({ team }) =>
          team.api('DELETE', `/contacts/${to}`),
    ),
  },
  {
    weight: 3,
    arbitrary: email.map(
      (to): Write =>
        ({ team }) =>
          team.api('POST', `/contacts/${to}/erase`),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(email, places).map(
      ([to, at]): Write =>
        ({ team, tag_ids }) =>
          team.api(
            'POST',
            `/contacts/${to}/tags`,
            at.map((each) => tag_ids[each]),
          ),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(email, place).map(
      ([to, at]): Write =>
        ({ team, tag_ids }) =>
          team.api('DELETE', `/contacts/${to}/tags/${tag_ids[at]}`),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(place, fc.array(contactId)).map(
      ([at, contact_ids]): Write =>
        ({ team, list_ids }) =>
          team.api('POST', `/lists/${list_ids[at]}/contacts`, { contact_ids }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(place, contactId).map(
      ([at, id]): Write =>
        ({ team, list_ids }) =>
          team.api('DELETE', `/lists/${list_ids[at]}/contacts/${id}`),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(email, fc.constantFrom('unsubscribe', 'hard_bounce')).map(
      ([to, reason]): Write =>
        ({ team }) =>
          team.api('POST', '/suppressions', { email: to, reason }),
    ),
  },
  {
    weight: 2,
    arbitrary: email.map(
      (to): Write =>
        ({ team }) =>
          team.api('DELETE', '/suppressions', { email: to }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: staying, max: staying + doomed - 1 }).map(
      (at): Write =>
        ({ team, list_ids }) =>
          team.api('DELETE', `/lists/${list_ids[at]}`),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: staying, max: staying + doomed - 1 }).map(
      (at): Write =>
        ({ team, tag_ids }) =>
          team.api('DELETE', `/tags/${tag_ids[at]}`),
    ),
  },
);

async function newAudience(): Promise<Audience> {
  const team = await newTeam({ origin: stack.origin });
  const made = async (path: string, name: string) => (await team.api('POST', path, { name })).body.data.id as number;
  const audience: Audience = { team, list_ids: [], tag_ids: [] };
  for (let index = 0; index < staying + doomed; index++) {
    audience.list_ids.push(await made('/lists', `List ${index}`));
    audience.tag_ids.push(await made('/tags', `Tag ${index}`));
  }
  return audience;
}

interface Contact {
  id: number;
  email: string;
  status: string;
  lists: { id: number }[];
  tags: { id: number }[];
}

const emails = (contacts: readonly { email: string }[]) => contacts.map((contact) => contact.email);

/** Compares every count, index and listing of a team with its contacts. */
async function expectExact(audience: Audience): Promise<void> {
  const { team } = audience;
  const contacts: Contact[] = await everyRow(team, '/contacts?include=tags,lists');
  const partition = (name: string) => table.partition(`TEAM#${team.id}#${name}`);
  for (const [kind, singular, ids] of [
    ['lists', 'list', audience.list_ids],
    ['tags', 'tag', audience.tag_ids],
  ] as const) {
    for (const id of ids) {
      const shown = emails(contacts.filter((contact) => contact[kind].some((each) => each.id === id)));
      const rows = (await partition(`${singular.toUpperCase()}#${id}`)).map(({ sk }) => sk);
      expect([kind, id, rows]).toEqual([kind, id, shown]);
      const { status, body } = await team.api('GET', `/${kind}/${id}`);
      if (status === 404) expect(shown).toEqual([]);
      else expect([kind, id, body.data.contacts_count]).toEqual([kind, id, shown.length]);
      if (status === 404) continue;
      expect(emails(await everyRow(team, `/contacts?${singular}_id=${id}`))).toEqual(shown);
    }
  }
  for (const status of ['active', 'pending', 'unsubscribed', 'bounced'])
    expect(emails(await everyRow(team, `/contacts?status=${status}`))).toEqual(
      emails(contacts.filter((contact) => contact.status === status)),
    );
  // Deleted contacts keep their rows; no other address has one.
  const rows = await partition('CONTACT');
  const byId = rows.map((row): [number, unknown] => [row.id as number, row.email]).sort(([a], [b]) => a - b);
  expect(await idRows(table, team.id)).toEqual(byId);
  for (const row of rows) if (row.deleted_at) expect([row.list_ids, row.tag_ids]).toEqual([[], []]);
  const changed: Contact[] = await everyRow(team, '/contacts?updated_since=2020-01-01&include=tags,lists');
  const byEmail = (a: Contact, b: Contact) => (a.email < b.email ? -1 : 1);
  expect(changed.sort(byEmail)).toEqual(contacts);
}

export const faulty = (operation: string, error: string, rate: number) => ({
  service: 'dynamodb',
  operation,
  error,
  rate,
});

/** Runs random concurrent writes under faults, and compares all counts, indexes and listings with a recount. */
export async function expectRecount(seed: number, faults: object[]): Promise<void> {
  const audience = await newAudience();
  const writes = fc.sample(write, { seed, numRuns: operations });
  for (const fault of faults) await control('POST', '/faults', fault, stack.origin);
  const statuses = new Set<number>();
  await Promise.all(
    Array.from({ length: concurrency }, async (_, worker) => {
      for (let at = worker; at < writes.length; at += concurrency) statuses.add((await writes[at]!(audience)).status);
    }),
  );
  // Deleted records are 404 in a path and 422 in a body; a busy table is 503.
  const expected = faults.length > 0 ? [200, 404, 422, 503] : [200, 404, 422];
  expect([...statuses].filter((status) => !expected.includes(status))).toEqual([]);
  await clear();
  await control('POST', '/clock', { advance_seconds: 600 }, stack.origin);
  await idle(stack.origin);
  await expectExact(audience);
}
