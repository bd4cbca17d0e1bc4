import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decode,
  difference,
  encode,
  type LedgerStatus,
  letters,
  tally,
} from '../../../shared/domain/campaigns/recipient-ledger.ts';

const statuses = fc.array(fc.constantFrom(...(Object.keys(letters) as LedgerStatus[])), { maxLength: 50 });

it('writes a page in one letter per recipient and reads it back', () => {
  fc.assert(
    fc.property(statuses, (page) => {
      expect(encode(page)).toHaveLength(page.length);
      expect(decode(encode(page))).toEqual(page);
    }),
  );
  expect(new Set(Object.values(letters)).size).toBe(Object.keys(letters).length);
});

it('counts every recipient with a final status once', () => {
  fc.assert(
    fc.property(statuses, (page) => {
      const open = page.filter((status) => status === 'pending' || status === 'sending').length;
      const { sent, failed, suppressed, unknown } = tally(page);
      expect(sent + failed + suppressed + unknown).toBe(page.length - open);
    }),
  );
});

it('the differences of any changes add up to the final count', () => {
  fc.assert(
    fc.property(fc.array(statuses, { minLength: 1, maxLength: 6 }), (pages) => {
      const total = { sent: 0, failed: 0, suppressed: 0, unknown: 0 };
      let before: LedgerStatus[] = [];
      for (const page of pages) {
        const change = difference(before, page);
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += change[name];
        before = page;
      }
      expect(total).toEqual(tally(pages.at(-1)!));
    }),
  );
});
