import { expect, it } from 'vitest';
import { all, type Event, people } from './list-events.setup.ts';

it('lists native events, those of the provider and those that were reported, in one order', () => {
  expect(all).toHaveLength(60 + 2 * people.length * 3);
  expect(all.some(({ is_machine_open }) => is_machine_open)).toBe(true);
  const position = ({ created_at, id }: Event) => `${created_at}#${String(id).padStart(16, '0')}`;
  const positions = all.map(position);
  expect(positions).toEqual([...positions].sort().reverse());
});
