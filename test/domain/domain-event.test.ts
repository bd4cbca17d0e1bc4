import { expect, it } from 'vitest';
import { type DomainEvent, eventsOf, storedEvents } from '../../shared/domain/domain-event.ts';

const events = (count: number): DomainEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${at}.1`,
    type: 'contact.created',
    contact_id: at,
    email: `jürgen.${at}@example.com`,
  }));

it.each([0, 1, 7, 8, 48])('%i domain events come out as they were stored', (count) => {
  expect(eventsOf(storedEvents(events(count)))).toEqual(events(count));
});

it('stores the events of an import in less than a third of their size', () => {
  const stored = storedEvents(events(48));
  expect(JSON.stringify(stored).length * 3).toBeLessThan(JSON.stringify(events(48)).length);
});
