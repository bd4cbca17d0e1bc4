import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actorOf, storedActor, systemActor } from '../../../shared/domain/actor.ts';
import { boundedFields, changedFields, withoutAddresses } from '../../../shared/domain/teams/audit.ts';

it('shows the fields that differ, null where a side has none', () => {
  const before = { status: 'draft', url: 'https://a.example', events: ['*'] };
  const after = { status: 'scheduled', at: '2031', events: ['*'] };
  expect(changedFields(before, after)).toEqual({
    before: { status: 'draft', url: 'https://a.example', at: null },
    after: { status: 'scheduled', url: null, at: '2031' },
  });
});

it('keeps fields within 2 KB and without an address, whatever they hold', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 50 }), fc.jsonValue({ maxDepth: 3 })), (fields) => {
      const values = JSON.stringify(Object.values(boundedFields({ ...fields, to: 'Ann <ann@example.com>' })));
      expect(Buffer.byteLength(values)).toBeLessThanOrEqual(2_048);
      expect(values).not.toContain('ann@');
    }),
  );
  const long = boundedFields({ text: 'x'.repeat(10_000), list: Array.from({ length: 100 }, (_, index) => index) });
  expect(long).toEqual({ text: `${'x'.repeat(200)}…`, list: [...Array.from({ length: 20 }, (_, i) => i), '…'] });
  expect(
    Object.keys(boundedFields(Object.fromEntries(Array.from({ length: 90 }, (_, i) => [i, 'y'.repeat(190)])))),
  ).toHaveLength(10);
});

it('leaves out each word that has an address', () => {
  expect(withoutAddresses('Key of ann@example.com, for\tbob@example.com only')).toBe('Key of … for\t… only');
});

it('gives a job the actor back whose action it completes, and the system where none was stored', () => {
  const actor = { ...systemActor(), kind: 'key' as const, keyId: 7, name: 'Shop', ip: '192.0.2.7', requestId: 'r' };
  expect(actorOf(JSON.parse(JSON.stringify(storedActor(actor))))).toEqual(actor);
  expect(actorOf(undefined)).toMatchObject({ kind: 'system', name: 'system' });
});
