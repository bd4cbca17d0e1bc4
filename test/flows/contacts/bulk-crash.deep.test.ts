import { expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { beforeImport, cutOff, stack, stateOf } from './bulk-crash.setup.ts';

it('gives the result of one clean call, except new ids, when a killed call is repeated without a key', async () => {
  const [clean, crashed] = [await beforeImport(), await beforeImport()];
  const { body: expected } = await clean.call();
  await cutOff(crashed);
  const { status, body } = await crashed.call();
  expect([status, body.created + body.updated]).toEqual([200, 1_000]);
  expect(body.data.map((row: { email: string; status: string }) => [row.email, row.status])).toEqual(
    expected.data.map((row: { email: string; status: string }) => [row.email, row.status]),
  );
  const [wanted, found] = [await stateOf(clean), await stateOf(crashed)];
  const withoutIds = (state: typeof wanted) => ({
    contacts: state.contacts.map(({ id: _id, ...contact }: Record<string, unknown>) => contact),
    rows: state.rows.map((rows) => rows.map(([email]) => email)),
    ids: state.ids.map(([, email]) => email).sort(),
  });
  expect(withoutIds(found)).toEqual(withoutIds(wanted));
  const idOf = new Map(found.contacts.map((contact: Record<string, unknown>) => [contact.email, contact.id]));
  expect(new Set(idOf.values()).size).toBe(found.contacts.length);
  for (const [id, email] of found.ids) expect([email, id]).toEqual([email, idOf.get(email)]);
  for (const [email, id] of found.rows.flat()) expect([email, id]).toEqual([email, idOf.get(email)]);
  for (const row of body.data) expect([row.email, row.id]).toEqual([row.email, idOf.get(row.email)]);
  await idle(stack.origin);
});
