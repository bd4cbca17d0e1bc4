import { beforeAll, expect, it } from 'vitest';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
let list: number;
let tag: number;
beforeAll(async () => {
  team = await newTeam();
  list = (await team.api('POST', '/lists', { name: 'Bulk' })).body.data.id;
  tag = (await team.api('POST', '/tags', { name: 'Bulk' })).body.data.id;
});

const bulk = (body: unknown, headers?: Record<string, string>) => team.api('POST', '/contacts/bulk', body, headers);
const rows = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `${prefix}-${index}@example.com`, first_name: `N${index}` }));

it('creates 1,000 contacts in one call, each once, with consecutive ids and exact counts', async () => {
  const contacts = rows('thousand', 1_000);
  const { status, body } = await bulk({ contacts, list_ids: [list], tag_ids: [tag] });
  expect(status).toBe(200);
  expect(body).toMatchObject({ created: 1_000, updated: 0 });
  expect(body.data.map((row: { email: string }) => row.email)).toEqual(contacts.map(({ email }) => email));
  const first = body.data[0].id;
  expect(body.data.map((row: { id: number }) => row.id)).toEqual(contacts.map((_, index) => first + index));
  expect(body.data[0]).toEqual({ email: contacts[0]!.email, id: first, created: true, status: 'active' });
  expect((await team.api('GET', `/lists/${list}`)).body.data.contacts_count).toBe(1_000);
  expect((await team.api('GET', `/tags/${tag}`)).body.data.contacts_count).toBe(1_000);
  const again = await bulk({ contacts, list_ids: [list], tag_ids: [tag] });
  expect(again.body).toMatchObject({ created: 0, updated: 1_000 });
  expect((await team.api('GET', `/lists/${list}`)).body.data.contacts_count).toBe(1_000);
});

it('applies rows in order; a repeated address is one contact and created once', async () => {
  const email = 'repeated@example.com';
  const { body } = await bulk({
    contacts: [
      { email, first_name: 'First', metadata: { a: 1, b: 1 } },
      { email: 'other@example.com' },
      { email: 'REPEATED@example.com', first_name: 'Second', metadata: { b: null, c: 2 } },
    ],
  });
  expect(body).toMatchObject({ created: 2, updated: 1 });
  expect(body.data.map((row: { created: boolean }) => row.created)).toEqual([true, true, false]);
  expect(body.data[2].id).toBe(body.data[0].id);
  const contact = (await team.api('GET', `/contacts/${email}`)).body.data;
  expect(contact).toMatchObject({ first_name: 'Second', metadata: { a: 1, c: 2 } });
});

it('writes nothing when one row is bad, and names it', async () => {
  const good = rows('untouched', 3);
  const attempts: [object, string[]][] = [
    [{ contacts: [...good, { email: 'bad' }] }, ['contacts.3.email']],
    [{ contacts: [good[0], { ...good[1], list_ids: [list, 424_242] }] }, ['contacts.1.list_ids.1']],
    [{ contacts: good, tag_ids: [424_242] }, ['tag_ids.0']],
    [{ contacts: rows('many', 1_001) }, ['contacts']],
    [{ contacts: rows('many', 401), tag_ids: Array.from({ length: 50 }, () => tag) }, ['contacts']],
    [{}, ['contacts']],
    [{ contacts: [null] }, ['contacts.0']],
  ];
  for (const [body, fields] of attempts) {
    const answer = await bulk(body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual(fields);
  }
  expect((await team.api('GET', `/contacts/${good[0]!.email}`)).status).toBe(404);
});

it('refuses more than 1,000 different tags, on the path of the first one beyond, without reading them', async () => {
  const contacts = rows('wide', 11).map((row, at) => ({
    ...row,
    tag_ids: Array.from({ length: 100 }, (_, index) => 10_001 + at * 100 + index),
  }));
  const { status, body } = await bulk({ contacts });
  expect(status).toBe(422);
  expect(body.errors).toEqual({ 'contacts.10.tag_ids.0': ['a request names at most 1000 different tags'] });
});

it('counts right when bulk calls over the same addresses run at once', async () => {
  const shared = (await team.api('POST', '/lists', { name: 'Shared' })).body.data.id;
  const contacts = rows('contended', 200);
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      bulk({
        contacts: contacts.map((row) => ({ ...row, metadata: { [`call_${index}`]: true } })),
        list_ids: [shared],
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(answers.reduce((sum, { body }) => sum + body.created, 0)).toBe(200);
  expect((await team.api('GET', `/lists/${shared}`)).body.data.contacts_count).toBe(200);
  const { metadata } = (await team.api('GET', `/contacts/${contacts[7]!.email}`)).body.data;
  expect(Object.keys(metadata)).toHaveLength(5);
});

it('replays the first answer under the same Idempotency-Key and refuses another body', async () => {
  const contacts = rows('replayed', 5);
  const headers = { 'idempotency-key': 'bulk-1' };
  const first = await bulk({ contacts }, headers);
  const second = await bulk({ contacts }, headers);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect((await bulk({ contacts: contacts.slice(1) }, headers)).body.code).toBe('idempotency_key_reused');
});

it('leaves no contact active whose address was suppressed during the call', async () => {
  const contacts = rows('leaving', 500);
  const underWay = bulk({ contacts });
  const exists = async (email: string) => (await team.api('GET', `/contacts/${email}`)).status === 200;
  while (!(await exists(contacts[0]!.email)));
  const last = contacts.slice(-5).map(({ email }) => email);
  for (const email of last) await team.api('POST', '/suppressions', { email, reason: 'unsubscribe' });
  expect((await underWay).status).toBe(200);
  const now = await Promise.all(last.map((email) => team.api('GET', `/contacts/${email}`)));
  expect(now.map(({ body }) => body.data.status)).toEqual(last.map(() => 'unsubscribed'));
});
