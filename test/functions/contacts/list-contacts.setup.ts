import { beforeAll } from 'vitest';
import { newTeam, type Team } from '../../support/team.ts';

export let team: Team;
export let list: number;
export let tag: number;
export const email = (index: number) => `c${String(index).padStart(3, '0')}@example.com`;

/** 120 contacts: every 2nd on the list, every 3rd tagged, every 5th unsubscribed. */
beforeAll(async () => {
  team = await newTeam();
  list = (await team.api('POST', '/lists', { name: 'Even' })).body.data.id;
  tag = (await team.api('POST', '/tags', { name: 'Thirds' })).body.data.id;
  const contacts = Array.from({ length: 120 }, (_, index) => ({
    email: email((index * 77) % 120),
    list_ids: ((index * 77) % 120) % 2 === 0 ? [list] : [],
    tag_ids: ((index * 77) % 120) % 3 === 0 ? [tag] : [],
  }));
  await team.api('POST', '/contacts/bulk', { contacts });
  for (let index = 0; index < 120; index += 5)
    await team.api('PATCH', `/contacts/${email(index)}`, { status: 'unsubscribed' });
});

export const emails = (rows: { email: string }[]) => rows.map((row) => row.email);
