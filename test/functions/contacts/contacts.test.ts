import { beforeAll, describe, expect, it } from 'vitest';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

let count = 0;
const address = (name = 'person') => `${name}-${++count}@example.com`;

const data: Team['data'] = (...request) => team.data(...request);

async function refusal(method: string, path: string, body: unknown) {
  const { status, body: answer } = await team.api(method, path, body);
  return { status, code: answer.code, fields: Object.keys(answer.errors ?? {}) };
}

const invalid = (...fields: string[]) => ({ status: 422, code: 'validation_error', fields });

describe('POST /contacts', () => {
  it('answers exactly the fields of a contact, without consent_ip', async () => {
    const email = address();
    const created = await data('POST', '/contacts', {
      email: ` ${email.toUpperCase()} `,
      first_name: 'Zoë',
      metadata: { company: 'Acme', score: 4.5, tags: ['a', null], 'odd key!': { deep: true } },
      consent_source: 'form',
      consent_ip: '203.0.113.9',
    });
    expect(created).toEqual({
      id: expect.any(Number),
      email,
      first_name: 'Zoë',
      last_name: null,
      status: 'active',
      metadata: { company: 'Acme', score: 4.5, tags: ['a', null], 'odd key!': { deep: true } },
      subscribed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
      unsubscribed_at: null,
      confirmed_at: null,
      consent_source: 'form',
      soft_bounce_count: 0,
      created_at: created.subscribed_at,
      updated_at: created.subscribed_at,
    });
    expect(await data('GET', `/contacts/${created.id}`)).toEqual(created);
    expect(await data('GET', `/contacts/${encodeURIComponent(email)}`)).toEqual(created);
  });

  it.each(['first.last+tag@example.com', "o'brien@example.com", '1234@example.com', 'a/b?c#d%e@example.com'])(
    'stores %s unmangled and finds it again',
    async (email) => {
      const created = await data('POST', '/contacts', { email });
      expect(created.email).toBe(email);
      expect((await data('GET', `/contacts/${encodeURIComponent(email)}`)).id).toBe(created.id);
    },
  );

  it('creates one contact from 50 concurrent upserts of one address', async () => {
    const email = address();
    const list = await data('POST', '/lists', { name: 'Crowd' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        team.api('POST', '/contacts/bulk', {
          contacts: [{ email, metadata: { [`key_${index}`]: index } }],
          list_ids: [list.id],
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(answers.map(({ body }) => body.data[0].id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.data[0].created)).toHaveLength(1);
    expect(Object.keys((await data('GET', `/contacts/${email}`)).metadata)).toHaveLength(50);
    expect((await data('GET', `/lists/${list.id}`)).contacts_count).toBe(1);
  });

  it('keeps an unsubscribed contact unsubscribed on upsert', async () => {
    const { id, email } = await data('POST', '/contacts', { email: address() });
    await data('PATCH', `/contacts/${id}`, { status: 'unsubscribed' });
    expect((await data('POST', '/contacts', { email, status_if_new: 'active' })).status).toBe('unsubscribed');
  });

  it('does not activate a new contact on a suppressed address', async () => {
    const email = address();
    await data('POST', '/suppressions', { email, reason: 'hard_bounce' });
    expect((await data('POST', '/contacts', { email })).status).toBe('bounced');
  });

  it('makes a new contact on a double opt-in list pending, and keeps a known one unchanged', async () => {
    const list = await data('POST', '/lists', { name: 'Double', opt_in_mode: 'double' });
    const fresh = await data('POST', '/contacts', { email: address(), list_ids: [list.id] });
    expect(fresh).toMatchObject({ status: 'pending', subscribed_at: null });
    const known = await data('POST', '/contacts', { email: address() });
    expect((await data('POST', '/contacts', { email: known.email, list_ids: [list.id] })).status).toBe('active');
  });

  it('refuses what it cannot store, with the field, and writes nothing', async () => {
    const email = address();
    const attempts: [object, string[]][] = [
      [{}, ['email']],
      [{ email: 'nobody' }, ['email']],
      [{ email: 5 }, ['email']],
      [{ email: 'josé@exämple.com' }, ['email']],
      [{ email, first_name: 'x'.repeat(256), last_name: 'a\r\nBcc: x@y.z' }, ['first_name', 'last_name']],
      [{ email, first_name: '\ud83c' }, ['first_name']],
      [{ email, metadata: 'text' }, ['metadata']],
      [{ email, metadata: { big: 'x'.repeat(17_000) } }, ['metadata']],
      [{ email, metadata: { id: 2 ** 60 } }, ['metadata.id']],
      [{ email, status_if_new: 'unsubscribed' }, ['status_if_new']],
      [{ email, tag_ids: 'all' }, ['tag_ids']],
      [{ email, tag_ids: [1.5] }, ['tag_ids.0']],
      [{ email, tag_ids: [999_999, 999_998], list_ids: [1, 999_999] }, ['tag_ids.0', 'tag_ids.1', 'list_ids.1']],
    ];
    for (const [body, fields] of attempts)
      expect([body, await refusal('POST', '/contacts', body)]).toEqual([body, invalid(...fields)]);
    expect((await team.api('GET', `/contacts/${email}`)).status).toBe(404);
  });

  it("refuses another team's tag and list like unknown ones", async () => {
    const stranger = await newTeam();
    const tag = (await stranger.api('POST', '/tags', { name: 'Theirs' })).body.data.id;
    const body = { email: address(), tag_ids: [tag + 1_000] };
    expect(await refusal('POST', '/contacts', body)).toEqual(invalid('tag_ids.0'));
  });
});

describe('PATCH /contacts/{contact}', () => {
  it('replaces tags and lists and moves their counts', async () => {
    const [red, blue] = [
      await data('POST', '/tags', { name: address('red') }),
      await data('POST', '/tags', { name: address('blue') }),
    ];
    const list = await data('POST', '/lists', { name: 'Patched' });
    const { id } = await data('POST', '/contacts', { email: address(), tag_ids: [red.id], list_ids: [list.id] });
    await data('PATCH', `/contacts/${id}`, { tag_ids: [blue.id], list_ids: [] });
    expect((await data('GET', `/tags/${red.id}`)).contacts_count).toBe(0);
    expect((await data('GET', `/tags/${blue.id}`)).contacts_count).toBe(1);
    expect((await data('GET', `/lists/${list.id}`)).contacts_count).toBe(0);
  });

  it('merges metadata and clears with null', async () => {
    const { id } = await data('POST', '/contacts', { email: address(), first_name: 'Ann', metadata: { a: 1, b: 2 } });
    const patched = await data('PATCH', `/contacts/${id}`, { first_name: null, metadata: { b: null, c: 3 } });
    expect(patched).toMatchObject({ first_name: null, metadata: { a: 1, c: 3 } });
  });

  it('suppresses the address of a contact it unsubscribes, and lifts that when it activates it', async () => {
    const { id, email } = await data('POST', '/contacts', { email: address() });
    const gone = await data('PATCH', `/contacts/${id}`, { status: 'unsubscribed' });
    expect(gone).toMatchObject({ status: 'unsubscribed', unsubscribed_at: expect.any(String) });
    expect(await data('GET', `/suppressions?email=${email}`)).toMatchObject([{ email, reason: 'unsubscribe' }]);
    expect(await data('PATCH', `/contacts/${id}`, { status: 'active' })).toMatchObject({
      status: 'active',
      unsubscribed_at: null,
    });
    expect(await data('GET', `/suppressions?email=${email}`)).toEqual([]);
  });

  it('never lifts a bounce or complaint suppression, and does not activate a bounced contact', async () => {
    const bounced = await data('POST', '/contacts', { email: address() });
    await data('POST', '/suppressions', { email: bounced.email, reason: 'hard_bounce' });
    const answer = await refusal('PATCH', `/contacts/${bounced.id}`, { status: 'active' });
    expect(answer).toEqual({ status: 422, code: 'not_applicable', fields: [] });
    const complained = await data('POST', '/contacts', { email: address() });
    await data('POST', '/suppressions', { email: complained.email, reason: 'spam_report' });
    await data('PATCH', `/contacts/${complained.id}`, { status: 'active' });
    expect(await data('GET', `/suppressions?email=${complained.email}`)).toMatchObject([{ reason: 'spam_report' }]);
  });

  it('refuses status bounced and unknown references', async () => {
    const { id } = await data('POST', '/contacts', { email: address() });
    expect(await refusal('PATCH', `/contacts/${id}`, { status: 'bounced' })).toEqual(invalid('status'));
    expect(await refusal('PATCH', `/contacts/${id}`, { list_ids: [1, 424_242] })).toEqual(invalid('list_ids.1'));
  });
});

describe('tags of a contact', () => {
  it('are added by an object or a bare array, and removed one by one', async () => {
    const [one, two] = [
      await data('POST', '/tags', { name: address('t') }),
      await data('POST', '/tags', { name: address('t') }),
    ];
    const { id } = await data('POST', '/contacts', { email: address() });
    const path = `/contacts/${id}/tags`;
    expect((await data('POST', path, { tag_ids: [one.id] })).id).toBe(id);
    await data('POST', path, [one.id, two.id]);
    expect(await data('GET', `/contacts?tag_id=${two.id}`)).toMatchObject([{ id }]);
    expect((await data('DELETE', `${path}/${two.id}`)).id).toBe(id);
    expect((await data('DELETE', `${path}/${two.id}`)).id).toBe(id);
    expect((await data('GET', `/tags/${two.id}`)).contacts_count).toBe(0);
    expect((await data('GET', `/tags/${one.id}`)).contacts_count).toBe(1);
    expect(await refusal('POST', path, [one.id, 424_242])).toEqual(invalid('tag_ids.1'));
    expect((await team.api('DELETE', `${path}/424242`)).status).toBe(404);
  });

  it('may be more than fit into one transaction', async () => {
    const tags = await Promise.all(
      Array.from({ length: 60 }, async () => (await data('POST', '/tags', { name: address('many') })).id as number),
    );
    const { id, email } = await data('POST', '/contacts', { email: address(), tag_ids: tags });
    const counts = async () => {
      const rows = await Promise.all(tags.map((tag) => data('GET', `/tags/${tag}`)));
      return new Set(rows.map((row) => row.contacts_count));
    };
    expect(await counts()).toEqual(new Set([1]));
    await data('DELETE', `/contacts/${id}`);
    expect(await counts()).toEqual(new Set([0]));
    await data('POST', '/contacts', { email });
    expect(await counts()).toEqual(new Set([1]));
  });
});

describe('DELETE /contacts/{contact}', () => {
  it('hides the contact everywhere, and an upsert restores id, tags and lists', async () => {
    const tag = await data('POST', '/tags', { name: address('kept') });
    const list = await data('POST', '/lists', { name: 'Kept' });
    const gone = await data('POST', '/lists', { name: 'Gone meanwhile' });
    const lists = [list.id, gone.id];
    const { id, email } = await data('POST', '/contacts', { email: address(), tag_ids: [tag.id], list_ids: lists });
    expect(await data('DELETE', `/contacts/${id}`)).toEqual({ id, deleted: true });
    for (const path of [`/contacts/${id}`, `/contacts/${email}`])
      expect((await team.api('GET', path)).status).toBe(404);
    expect((await team.api('DELETE', `/contacts/${id}`)).status).toBe(404);
    expect(await data('GET', `/contacts?tag_id=${tag.id}`)).toEqual([]);
    expect((await data('GET', `/lists/${list.id}`)).contacts_count).toBe(0);
    await data('DELETE', `/lists/${gone.id}`);
    expect((await data('POST', '/contacts', { email })).id).toBe(id);
    expect(await data('GET', `/contacts?tag_id=${tag.id}&include=tags,lists`)).toMatchObject([
      { id, tags: [{ id: tag.id, contacts_count: 1 }], lists: [{ id: list.id, contacts_count: 1 }] },
    ]);
  });

  it('restores a contact that unsubscribed while it was deleted as unsubscribed', async () => {
    const { id, email } = await data('POST', '/contacts', { email: address() });
    await data('DELETE', `/contacts/${id}`);
    await data('POST', '/suppressions', { email, reason: 'unsubscribe' });
    expect(await data('POST', '/contacts', { email })).toMatchObject({ id, status: 'unsubscribed' });
  });
});

describe('POST /contacts/{contact}/erase', () => {
  it('removes live and soft-deleted contacts for good, keeps the suppression, and is 404 the second time', async () => {
    const list = await data('POST', '/lists', { name: 'Erased' });
    for (const softDeleted of [false, true]) {
      const { id, email } = await data('POST', '/contacts', { email: address(), list_ids: [list.id] });
      await data('PATCH', `/contacts/${id}`, { status: 'unsubscribed' });
      if (softDeleted) await data('DELETE', `/contacts/${id}`);
      const erased = await data('POST', `/contacts/${softDeleted ? id : email}/erase`);
      expect(erased).toEqual({ contacts_deleted: 1, events_anonymized: 0, events_exact: true });
      expect((await team.api('POST', `/contacts/${id}/erase`)).status).toBe(404);
      expect((await data('GET', `/lists/${list.id}`)).contacts_count).toBe(0);
      expect(await data('GET', `/suppressions?email=${email}`)).toHaveLength(1);
      const again = await data('POST', '/contacts', { email });
      expect(again.id).toBeGreaterThan(id);
      expect(again.status).toBe('unsubscribed');
    }
  });

  it('answers a replay under the same Idempotency-Key as the first time', async () => {
    const { id } = await data('POST', '/contacts', { email: address() });
    const erase = () => team.api('POST', `/contacts/${id}/erase`, undefined, { 'idempotency-key': `erase-${id}` });
    const first = await erase();
    const second = await erase();
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});
