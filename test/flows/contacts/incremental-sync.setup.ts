import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Answer, control, type Team } from '../../support/team.ts';

export let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));

interface Contact {
  id: number;
  email: string;
  updated_at: string;
  tags: { id: number }[];
}

/** A client that keeps a copy of the contacts as docs/api.md describes. */
class Client {
  readonly copy = new Map<number, Contact>();
  #since = '2020-01-01';
  readonly #team: Team;

  constructor(team: Team) {
    this.#team = team;
  }

  async sync(): Promise<void> {
    const since = encodeURIComponent(this.#since);
    const changed = await everyRow(this.#team, `/contacts?include=tags,lists&updated_since=${since}`);
    const places = changed.map(({ updated_at, id }) => `${updated_at}#${String(id).padStart(12, '0')}`);
    expect(places).toEqual([...new Set(places)].sort());
    for (const contact of changed) this.copy.set(contact.id, withoutCounts(contact));
    this.#since = changed.at(-1)?.updated_at ?? this.#since;
  }
}

/** A contact with the ids of its relations, without their counts. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
const withoutCounts = ({ tags, lists, ...contact }: any): Contact => ({
  ...contact,
  tags: tags.map(({ id }: { id: number }) => id),
  lists: lists.map(({ id }: { id: number }) => id),
});

/** Syncs until the work is done, and once more, then compares the copy with the full listing. */
export async function syncDuring(team: Team, work: Promise<unknown>): Promise<void> {
  const client = new Client(team);
  let working = true;
  const done = work.finally(() => {
    working = false;
  });
  try {
    while (working) await client.sync();
  } finally {
    await done;
  }
  await client.sync();
  const all = (await everyRow(team, '/contacts?include=tags,lists')).map(withoutCounts);
  const stale = all.filter((contact) => !isDeepStrictEqual(client.copy.get(contact.id), contact));
  expect(stale).toEqual([]);
  expect(client.copy.size).toBe(all.length);
}

export async function served(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer;
  expect([status, body.code]).toEqual([200, undefined]);
  return body;
}

export const person = (number: number) => `p${number % 40}@example.com`;
