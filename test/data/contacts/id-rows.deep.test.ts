import { expect, it } from 'vitest';
import { emailsOf } from '../../../shared/data/contacts/id-rows.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it('finds by id what imports and single requests create at once, and not what is erased', async () => {
  const team = await newTeam();
  const imported = (name: string) =>
    team.api('POST', '/contacts/bulk', {
      contacts: Array.from({ length: 70 }, (_, at) => ({ email: `${name}${at}@example.com` })),
    });
  const single = (at: number) => team.api('POST', '/contacts', { email: `single${at}@example.com` });
  const answers = await Promise.all([imported('a'), single(0), imported('b'), single(1), imported('c'), single(2)]);
  const created = answers.flatMap(({ body }): { id: number; email: string }[] => body.data);
  expect(created).toHaveLength(213);
  const ids = created.map(({ id }) => id);
  expect(await emailsOf(team.id, [...ids, 999_999])).toEqual([...created.map(({ email }) => email), undefined]);
  const [ofImport, ofSingle] = [created[5]!, created[70]!];
  for (const { id } of [ofImport, ofSingle]) await team.data('POST', `/contacts/${id}/erase`);
  const left = created.map((contact) => (contact === ofImport || contact === ofSingle ? undefined : contact.email));
  expect(await emailsOf(team.id, ids)).toEqual(left);
});
