import { expect, it } from 'vitest';
import { bothWays } from '../../support/paging.ts';
import { newTeam } from '../../support/team.ts';
import { person, served, stack, syncDuring } from './incremental-sync.setup.ts';

it('misses nothing of an import of 1,000 rows during writes of single contacts', async () => {
  const team = await newTeam({ origin: stack.origin });
  const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `import-${index}@example.com` }));
  let importing = true;
  const bulk = served(team.api('POST', '/contacts/bulk', { contacts })).finally(() => {
    importing = false;
  });
  const others = async () => {
    for (let turn = 0; importing; turn++)
      await served(team.api('POST', '/contacts', { email: person(turn), metadata: { turn } }));
  };
  await syncDuring(team, Promise.all([bulk, others()]));
});

it('shows a write to a read right after it', async () => {
  const team = await newTeam({ origin: stack.origin });
  for (let turn = 0; turn < 3; turn++) {
    const { data } = await served(team.api('POST', '/contacts', { email: person(0), metadata: { turn } }));
    const since = encodeURIComponent(data.updated_at);
    expect((await served(team.api('GET', `/contacts?updated_since=${since}`))).data).toEqual([data]);
  }
});

it('pages both ways, and a contact changed between two pages moves to the end', async () => {
  const team = await newTeam({ origin: stack.origin });
  for (let index = 0; index < 10; index++) await served(team.api('POST', '/contacts', { email: person(index) }));
  const path = '/contacts?updated_since=2020-01-01';
  const order = (rows: { email: string }[]) => rows.map(({ email }) => email);
  expect(order(await bothWays(team, path, 3))).toEqual(Array.from({ length: 10 }, (_, index) => person(index)));

  const first = await served(team.api('GET', `${path}&per_page=4`));
  await served(team.api('PATCH', `/contacts/${person(5)}`, { first_name: 'Moved' }));
  const second = await served(team.api('GET', `${path}&per_page=4&cursor=${first.next_cursor}`));
  expect(order(second.data)).toEqual([4, 6, 7, 8].map(person));
  const third = await served(team.api('GET', `${path}&per_page=4&cursor=${second.next_cursor}`));
  expect(order(third.data)).toEqual([9, 5].map(person));
  const back = await served(team.api('GET', `${path}&per_page=4&cursor=${third.prev_cursor}`));
  expect(order(back.data)).toEqual(order(second.data));
});
