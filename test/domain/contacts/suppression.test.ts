import { expect, it } from 'vitest';
import { overrides, suppressionReasons } from '../../../shared/domain/contacts/suppression.ts';

it('never weakens a bounce or a complaint', () => {
  for (const standing of ['hard_bounce', 'spam_report'] as const)
    for (const reason of suppressionReasons)
      expect(overrides(reason, standing)).toBe(reason === 'hard_bounce' || reason === 'spam_report');
});

it('allows any reason to replace an unsubscribe', () => {
  for (const reason of suppressionReasons) expect(overrides(reason, 'unsubscribe')).toBe(true);
});
