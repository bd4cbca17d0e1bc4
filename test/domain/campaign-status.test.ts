import { expect, it } from 'vitest';
import {
  campaignStatuses,
  deletable,
  ending,
  moves,
  sources,
  target,
  working,
} from '../../shared/domain/campaign-status.ts';

const allowed = (move: keyof typeof moves) => campaignStatuses.filter((status) => target(move, status) !== undefined);

it('can be edited while draft, scheduled or held; editing a held one takes it back to draft', () => {
  expect(allowed('edit')).toEqual(['draft', 'scheduled', 'held']);
  expect(target('edit', 'held')).toBe('draft');
  expect(target('edit', 'scheduled')).toBe('scheduled');
});

it('can be cancelled while draft, scheduled or paused; a held one only by an operator', () => {
  expect(allowed('cancel')).toEqual(['draft', 'scheduled', 'paused']);
  expect(target('refuse', 'held')).toBe('cancelled');
});

it('can be deleted unless it is on its way', () => {
  const onItsWay = campaignStatuses.filter((status) => !deletable.includes(status));
  expect(onItsWay).toEqual(['screening', 'queuing', 'sending', 'paused']);
  for (const status of working) expect(onItsWay).toContain(status);
});

it('leaves an end for nothing', () => {
  for (const move of Object.keys(moves) as (keyof typeof moves)[])
    for (const end of ['sent', 'partial', 'cancelled', 'failed'] as const) expect(target(move, end)).toBeUndefined();
});

it('knows where a move may start', () => {
  expect(sources('pause')).toEqual(['sending']);
  expect(sources('launch')).toEqual(['draft', 'scheduled']);
});

it.each([
  [{ sent: 5, failed: 0, unknown: 0 }, 'sent'],
  [{ sent: 0, failed: 0, unknown: 0 }, 'sent'],
  [{ sent: 5, failed: 1, unknown: 0 }, 'partial'],
  [{ sent: 5, failed: 0, unknown: 1 }, 'partial'],
  [{ sent: 0, failed: 2, unknown: 1 }, 'partial'],
  [{ sent: 0, failed: 3, unknown: 0 }, 'failed'],
] as const)('ends %j as %s', (counts, status) => {
  expect(ending(counts)).toBe(status);
});
