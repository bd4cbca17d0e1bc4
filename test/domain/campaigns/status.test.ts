import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  campaignStatuses,
  deletable,
  editable,
  ending,
  moves,
  target,
  working,
} from '../../../shared/domain/campaigns/status.ts';

const allowed = (move: keyof typeof moves) => campaignStatuses.filter((status) => target(move, status) !== undefined);

it('can be edited while draft, scheduled or held; an edit returns a held one to draft', () => {
  expect(editable).toEqual(['draft', 'scheduled', 'held']);
  expect(target('reopen', 'held')).toBe('draft');
  expect(allowed('reopen')).toEqual(['held']);
});

it('can be cancelled while draft, scheduled or paused; a held one only by an operator', () => {
  expect(allowed('cancel')).toEqual(['draft', 'scheduled', 'paused']);
  expect(target('refuse', 'held')).toBe('cancelled');
});

it('can be deleted unless it is being sent or paused', () => {
  const undeletable = campaignStatuses.filter((status) => !deletable.includes(status));
  expect(undeletable).toEqual(['screening', 'queuing', 'sending', 'paused']);
  for (const status of working) expect(undeletable).toContain(status);
});

it('is drawn in docs/architecture.md as it is', () => {
  const drawn = readFileSync('docs/architecture.md', 'utf8').matchAll(/^ {2}(\w+) --> (\w+): (\w+)$/gm);
  const transitions = Object.entries(moves).flatMap(([cause, { from, to }]) =>
    from.map((state) => `${state} ${to} ${cause}`),
  );
  expect([...drawn].map(([, from, to, cause]) => `${from} ${to} ${cause}`)).toEqual(transitions);
});

it('leaves a final state only as unknown recipients settle, or are sent to again', () => {
  for (const move of Object.keys(moves) as (keyof typeof moves)[]) {
    for (const end of ['sent', 'cancelled', 'failed'] as const) expect(target(move, end)).toBeUndefined();
    if (!move.startsWith('end') && move !== 'resend') expect(target(move, 'partial')).toBeUndefined();
  }
});

it.each([
  [{ sent: 5, failed: 0, unknown: 0 }, 'endSent'],
  [{ sent: 0, failed: 0, unknown: 0 }, 'endSent'],
  [{ sent: 5, failed: 1, unknown: 0 }, 'endPartial'],
  [{ sent: 5, failed: 0, unknown: 1 }, 'endPartial'],
  [{ sent: 0, failed: 2, unknown: 1 }, 'endPartial'],
  [{ sent: 0, failed: 3, unknown: 0 }, 'endFailed'],
] as const)('ends %j by %s', (counts, move) => {
  expect(ending(counts)).toBe(move);
});
