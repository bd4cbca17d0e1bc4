import { beforeAll, expect, it } from 'vitest';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const create = async (name: string) => (await team.api('POST', '/tags', { name })).body.data;

it('creates, shows, renames and lists newest first', async () => {
  const made = await create('Ünïque');
  const at = expect.stringMatching(/\+00:00$/);
  expect(made).toEqual({ id: expect.any(Number), name: 'Ünïque', contacts_count: 0, created_at: at, updated_at: at });
  expect((await team.api('GET', `/tags/${made.id}`)).body.data).toEqual(made);
  const renamed = await team.api('PATCH', `/tags/${made.id}`, { name: 'ÜNÏQUE' });
  expect(renamed.body.data).toMatchObject({ id: made.id, name: 'ÜNÏQUE' });
  const next = await create('Next');
  const ids = (await team.api('GET', '/tags')).body.data.map((row: { id: number }) => row.id);
  expect(ids.slice(0, 2)).toEqual([next.id, made.id]);
});

it('refuses a name that another tag has, without regard to case', async () => {
  await create('Taken');
  const other = await create('Other');
  for (const answer of [
    await team.api('POST', '/tags', { name: 'tAKEN' }),
    await team.api('PATCH', `/tags/${other.id}`, { name: 'TAKEN' }),
    await team.api('POST', '/tags', { name: '' }),
    await team.api('POST', '/tags', { name: 'x'.repeat(101) }),
    await team.api('POST', '/tags', {}),
  ])
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['name']]);
  const stranger = await newTeam();
  expect((await stranger.api('POST', '/tags', { name: 'Taken' })).status).toBe(200);
});

it('gives a name to one of many concurrent requests', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => team.api('POST', '/tags', { name: 'Contended' })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(9);
});

it('frees the name and keeps the contacts when it is deleted or renamed', async () => {
  const made = await create('Reused');
  const contact = (await team.api('POST', '/contacts', { email: 'tagged@example.com', tag_ids: [made.id] })).body.data;
  expect((await team.api('DELETE', `/tags/${made.id}`)).body.data).toEqual({ id: made.id, deleted: true });
  expect((await team.api('GET', `/tags/${made.id}`)).status).toBe(404);
  const shown = (await team.api('GET', '/contacts?include=tags')).body.data;
  expect(shown).toMatchObject([{ id: contact.id, tags: [] }]);
  const again = await create('Reused');
  expect(again.id).not.toBe(made.id);
  await team.api('PATCH', `/tags/${again.id}`, { name: 'Renamed' });
  expect((await create('Reused')).id).toBeGreaterThan(again.id);
});
