import { expect, it } from 'vitest';
import { bothWays } from '../../support/paging.ts';
import { type Answer, control, newTeam } from '../../support/team.ts';
import { person, served, stack, syncDuring } from './incremental-sync.setup.ts';

it('misses no change of six concurrent writers whose transactions conflict', async () => {
  const team = await newTeam({ origin: stack.origin });
  const list = (await served(team.api('POST', '/lists', { name: 'List' }))).data.id;
  const tag = (await served(team.api('POST', '/tags', { name: 'Tag' }))).data.id;
  const all = Array.from({ length: 40 }, (_, index) => ({ email: person(index) }));
  await served(team.api('POST', '/contacts/bulk', { contacts: all }));
  const conflict = { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException' };
  await control('POST', '/faults', { ...conflict, rate: 0.4 }, stack.origin);

  const orGone = (answer: Promise<Answer>) => answer.then(({ status }) => expect([200, 404]).toContain(status));
  const writers: ((turn: number) => Promise<unknown>)[] = [
    (turn) => served(team.api('POST', '/contacts', { email: person(turn), metadata: { turn } })),
    (turn) => {
      const contacts = Array.from({ length: 15 }, (_, index) => ({ email: person(turn * 7 + index) }));
      return served(
        team.api('POST', '/contacts/bulk', { contacts: contacts.map((row) => ({ ...row, last_name: `${turn}` })) }),
      );
    },
    (turn) => orGone(team.api('PATCH', `/contacts/${person(turn * 3)}`, { first_name: `Turn ${turn}` })),
    (turn) =>
      orGone(
        turn % 2 === 0
          ? team.api('POST', `/contacts/${person(turn >> 1)}/tags`, [tag])
          : team.api('DELETE', `/contacts/${person(turn >> 1)}/tags/${tag}`),
      ),
    async (turn) => {
      await orGone(team.api('DELETE', `/contacts/${person(turn * 5)}`));
      await served(team.api('POST', '/contacts', { email: person(turn * 5) }));
    },
    (turn) => orGone(team.api('PATCH', `/contacts/${person(turn * 11)}`, { list_ids: turn % 2 === 0 ? [list] : [] })),
  ];
  const turns = 50;
  const work = writers.map(async (write) => {
    for (let turn = 0; turn < turns; turn++) await write(turn);
  });
  await syncDuring(team, Promise.all(work));
});

it.each([
  ['delayed calls', []],
  ['delayed calls that are announced late, too', [{ operation: 'UpdateItem', error: 'slow', seconds: 4, count: 30 }]],
])('misses nothing of an import with %s', async (_, more) => {
  const team = await newTeam({ origin: stack.origin });
  const contacts = Array.from({ length: 200 }, (_, index) => ({ email: `late-${index}@example.com` }));
  const late = { operation: 'TransactWriteItems', error: 'timeout', count: 2 };
  for (const fault of [late, ...more])
    await control('POST', '/faults', { service: 'dynamodb', containing: `TEAM#${team.id}#`, ...fault }, stack.origin);
  let importing = true;
  const bulk = served(team.api('POST', '/contacts/bulk', { contacts })).finally(() => {
    importing = false;
  });
  const others = async () => {
    for (let turn = 0; importing; turn++)
      await team.api('POST', '/contacts', { email: person(turn), metadata: { turn } });
  };
  await syncDuring(team, Promise.all([bulk, others()]));
});

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

it('shows a write to a read right after it', async () => {
  const team = await newTeam({ origin: stack.origin });
  for (let turn = 0; turn < 3; turn++) {
    const { data } = await served(team.api('POST', '/contacts', { email: person(0), metadata: { turn } }));
    const since = encodeURIComponent(data.updated_at);
    expect((await served(team.api('GET', `/contacts?updated_since=${since}`))).data).toEqual([data]);
  }
});
