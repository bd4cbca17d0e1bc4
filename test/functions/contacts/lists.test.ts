import { beforeAll, describe, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const data: Team['data'] = (...request) => team.data(...request);

async function contactsOf(prefix: string, count: number): Promise<number[]> {
  const contacts = Array.from({ length: count }, (_, index) => ({
    email: `${prefix}-${String(index).padStart(4, '0')}@example.com`,
  }));
  const { body } = await team.api('POST', '/contacts/bulk', { contacts });
  return body.data.map((row: { id: number }) => row.id);
}

describe('/lists', () => {
  it('gives every team one default list that cannot be deleted', async () => {
    const own = await newTeam();
    const { body } = await own.api('GET', '/lists');
    expect(body.data).toEqual([
      { id: 1, name: 'All contacts', description: null, is_default: true, opt_in_mode: 'single', contacts_count: 0 },
    ]);
    const refused = await own.api('DELETE', '/lists/1');
    expect([refused.status, refused.body.code]).toEqual([422, 'not_applicable']);
    expect((await own.api('GET', '/lists/1')).status).toBe(200);
  });

  it('creates, shows, changes and lists newest first', async () => {
    const made = await data('POST', '/lists', { name: ' News ', description: 'Weekly', opt_in_mode: 'double' });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'News',
      description: 'Weekly',
      is_default: false,
      opt_in_mode: 'double',
      contacts_count: 0,
    });
    expect(await data('PATCH', `/lists/${made.id}`, { name: 'Other' })).toEqual({ ...made, name: 'Other' });
    expect((await data('PATCH', `/lists/${made.id}`, { name: 'Other', description: null })).description).toBeNull();
    const next = await data('POST', '/lists', { name: 'Next' });
    expect((await data('GET', '/lists')).map((row: { id: number }) => row.id).slice(0, 2)).toEqual([next.id, made.id]);
  });

  it('refuses a list without a name or with an unknown mode', async () => {
    for (const [body, field] of [
      [{}, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ name: 'ok', opt_in_mode: 'triple' }, 'opt_in_mode'],
    ] as const) {
      const answer = await team.api('POST', '/lists', body);
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
    }
  });
});

describe('/lists/{list}/contacts', () => {
  it('attaches live contacts, skips unknown ids, counts each id once', async () => {
    const list = await data('POST', '/lists', { name: 'Attach' });
    const [first, second, deleted] = await contactsOf('attach', 3);
    await data('DELETE', `/contacts/${deleted}`);
    const body = { contact_ids: [first, second, first, deleted, 999_999, 0, -4] };
    expect(await data('POST', `/lists/${list.id}/contacts`, body)).toEqual({
      list_id: list.id,
      attached: 2,
      skipped: 4,
    });
    expect(await data('POST', `/lists/${list.id}/contacts`, { contact_ids: [first] })).toMatchObject({ attached: 1 });
    expect((await data('GET', `/lists/${list.id}`)).contacts_count).toBe(2);
    const members = await everyRow(team, `/lists/${list.id}/contacts`);
    expect(members.map((row) => row.id)).toEqual([first, second]);
  });

  it('attaches 1,000 in one call and refuses 1,001', async () => {
    const list = await data('POST', '/lists', { name: 'Thousand' });
    const contact_ids = await contactsOf('thousand', 1_000);
    expect(await data('POST', `/lists/${list.id}/contacts`, { contact_ids })).toMatchObject({
      attached: 1_000,
      skipped: 0,
    });
    const refused = await team.api('POST', `/lists/${list.id}/contacts`, { contact_ids: [...contact_ids, 5] });
    expect(refused.status).toBe(422);
  });

  it('detaches the membership only, and reports whether there was one', async () => {
    const list = await data('POST', '/lists', { name: 'Detach' });
    const [contact] = await contactsOf('detach', 1);
    await data('POST', `/lists/${list.id}/contacts`, { contact_ids: [contact] });
    const path = `/lists/${list.id}/contacts/${contact}`;
    expect(await data('DELETE', path)).toEqual({ list_id: list.id, contact_id: contact, detached: true });
    expect(await data('DELETE', path)).toEqual({ list_id: list.id, contact_id: contact, detached: false });
    expect((await data('GET', `/contacts/${contact}`)).id).toBe(contact);
    expect((await team.api('DELETE', `/lists/${list.id}/contacts/999999`)).status).toBe(404);
  });
});

describe('DELETE /lists/{list}', () => {
  it('hides a list with more members than one request cleans up everywhere at once', async () => {
    const list = await data('POST', '/lists', { name: 'Big' });
    for (const part of ['big-a', 'big-b']) {
      const contact_ids = await contactsOf(part, 700);
      await data('POST', `/lists/${list.id}/contacts`, { contact_ids });
    }
    expect(await data('DELETE', `/lists/${list.id}`)).toEqual({ id: list.id, deleted: true });
    expect((await team.api('GET', `/lists/${list.id}`)).status).toBe(404);
    expect((await team.api('DELETE', `/lists/${list.id}`)).status).toBe(404);
    expect((await team.api('GET', `/contacts?list_id=${list.id}`)).status).toBe(422);
    const shown = await everyRow(team, '/contacts?include=lists');
    expect(shown.flatMap((row) => row.lists).filter(({ id }) => id === list.id)).toEqual([]);
    const late = await data('PATCH', '/contacts/big-b-0699@example.com', { list_ids: [] });
    expect(late.email).toBe('big-b-0699@example.com');
  });

  it('answers a replay under the same Idempotency-Key', async () => {
    const list = await data('POST', '/lists', { name: 'Replayed' });
    const remove = () => team.api('DELETE', `/lists/${list.id}`, undefined, { 'idempotency-key': `delete-${list.id}` });
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(200);
  });
});
