import { opens } from '../support/table.ts';
import type { BenchStack } from './bench-stack.ts';
import { accepted } from './requests.ts';
import { consumedBy, type Result, round } from './results.ts';

/** API Gateway gives up on a request after 30 seconds. */
const answerSeconds = 29;
const metered = 2_000;

/** The time to erase a contact with many events, until the response and until the end, and its cost. */
export async function measureErasure(stack: BenchStack, events: number): Promise<Result[]> {
  const person = await personWith(stack, events);
  const begun = performance.now();
  await erase(stack, person);
  const answered = performance.now() - begun;
  while ((await eventsOf(stack, person.email)) > 0) await stack.call('POST', '/_local/clock', { advance_seconds: 60 });
  const over = performance.now() - begun;
  const other = await personWith(stack, metered);
  const used = await stack.metered(() => erase(stack, other));
  return [
    {
      what: `erasure of a person with ${round(events)} events`,
      figure: answered / 1000,
      unit: 's until it answers',
      atMost: answerSeconds,
      details: `over in ${round(over / 1000)} s; ${consumedBy(used, metered, `event, of ${round(metered)}`)}`,
    },
  ];
}

interface Person {
  email: string;
  contact_id: number;
}

async function personWith(stack: BenchStack, events: number): Promise<Person> {
  const email = `erased-${events}@bench.example`;
  const { id } = await accepted(stack.call('POST', '/contacts', { email }));
  const table = await stack.table();
  const { team } = await accepted(stack.call('GET', '/me'));
  const person = { email, contact_id: id };
  await table.write(opens(team.id, person, events));
  return person;
}

async function erase(stack: BenchStack, { contact_id }: Person): Promise<void> {
  await accepted(stack.call('POST', `/contacts/${contact_id}/erase`));
}

async function eventsOf(stack: BenchStack, email: string): Promise<number> {
  const { body } = await stack.call('GET', `/events?per_page=1&email=${encodeURIComponent(email)}`);
  return body.data.length;
}
