import { expect, it } from 'vitest';
import { everyRow, idle } from '../../support/campaign.ts';
import { control } from '../../support/team.ts';
import { count, gone, kept, left, members, other, partition, stack, table, tag, tagged, team } from './purge.setup.ts';

/** What every reader sees from the moment of the answer on: the record is nowhere, and the counts of the others stay. */
async function expectHidden(path: string, kind: 'lists' | 'tags', id: number): Promise<void> {
  expect((await team.api('GET', path)).status).toBe(404);
  expect((await team.api('GET', `/contacts?${kind.slice(0, -1)}_id=${id}`)).status).toBe(422);
  expect([await count(`/lists/${kept}`), await count(`/tags/${other}`)]).toEqual([members, tagged]);
  const shown = await everyRow(team, '/contacts?include=lists,tags');
  expect(shown).toHaveLength(members);
  expect(shown.flatMap((contact) => contact[kind]).filter((record: { id: number }) => record.id === id)).toEqual([]);
  const on = (ids: { id: number }[], wanted: number) => ids.some((record) => record.id === wanted);
  expect(shown.filter(({ lists }) => on(lists, kept!))).toHaveLength(members);
  expect(shown.filter(({ tags }) => on(tags, other!))).toHaveLength(tagged);
}

it.each([
  ['lists', 'LIST', () => gone!],
  ['tags', 'TAG', () => tag!],
] as const)(
  'deleted %s are gone at once, and their memberships in rounds that a failing table only delays',
  async (kind, prefix, idOf) => {
    const id = idOf();
    const pk = partition(prefix, id);
    const everybody = await left(pk);
    expect((await team.api('DELETE', `/${kind}/${id}`)).body.data).toEqual({ id, deleted: true });
    let before = await left(pk);
    expect(before).toBe(everybody - 1_000);
    await expectHidden(`/${kind}/${id}`, kind, id);

    const refusing = {
      service: 'dynamodb',
      operation: 'TransactWriteItems',
      error: 'AccessDeniedException',
      rate: 0.1,
    };
    await control('POST', '/faults', refusing, stack.origin);
    await control('POST', '/faults', { ...refusing, error: 'lost_response', rate: 0.05 }, stack.origin);
    let rounds = 0;
    for (; before > 0 && rounds < 60; rounds++) {
      await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
      await idle(stack.origin);
      const now = await left(pk);
      expect(now).toBeLessThanOrEqual(before);
      before = now;
      if (rounds === 1) await expectHidden(`/${kind}/${id}`, kind, id);
    }
    await control('DELETE', '/faults', undefined, stack.origin);
    expect(before).toBe(0);
    expect(rounds).toBeGreaterThan(1);
    await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
    await idle(stack.origin);
    await expectHidden(`/${kind}/${id}`, kind, id);
    const contacts = await table.partition(`TEAM#${team.id}#CONTACT`);
    const ids = contacts.flatMap((row) => (row[`${kind.slice(0, -1)}_ids`] as number[] | undefined) ?? []);
    expect(ids).not.toContain(id);
    expect((await table.naming('#PURGE#')).filter(({ team_id }) => team_id === team.id)).toEqual([]);
  },
);
