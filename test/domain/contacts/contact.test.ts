import { describe, expect, it } from 'vitest';
import {
  addTags,
  applyPatch,
  applyUpsert,
  type Contact,
  checked,
  confirmContact,
  contactFault,
  joinList,
  liftSuppression,
  softDelete,
  suppressContact,
} from '../../../shared/domain/contacts/contact.ts';

const now = '2026-11-20T10:00:00.000+00:00';
const later = '2026-11-21T10:00:00.000+00:00';
const asNew = { id: 7, created_by: 'operation' };
const none = new Set<number>();
const made = (input: object = {}, extra: object = {}): Contact =>
  applyUpsert(undefined, { email: 'ann@example.com', ...input }, { ...asNew, ...extra }, none, now);

/** A new contact on list 4, which asks for confirmation. */
const onDouble = (input: object = {}): Contact =>
  applyUpsert(undefined, { email: 'ann@example.com', list_ids: [4], ...input }, asNew, new Set([4]), now);

describe('an upsert of an unknown address', () => {
  it('creates an active contact, subscribed now', () => {
    expect(made()).toMatchObject({
      id: 7,
      status: 'active',
      subscribed_at: now,
      created_at: now,
      created_by: 'operation',
    });
  });

  it('gets the status of status_if_new', () => {
    expect(made({ status_if_new: 'pending' })).toMatchObject({ status: 'pending', subscribed_at: undefined });
  });

  it('is pending on a double opt-in list, whatever status_if_new says', () => {
    expect(onDouble({ status_if_new: 'active' }).status).toBe('pending');
  });

  it.each([
    ['unsubscribe', 'unsubscribed'],
    ['spam_report', 'unsubscribed'],
    ['hard_bounce', 'bounced'],
    ['soft_bounce', 'bounced'],
    ['manual', 'active'],
  ])('does not activate an address suppressed for %s: it is %s', (suppressedFor, status) => {
    expect(made({}, { suppressedFor }).status).toBe(status);
  });
});

describe('an upsert of a known address', () => {
  it('overwrites given fields, keeps absent ones, clears null ones', () => {
    const before = made({ first_name: 'Ann', last_name: 'Lee', consent_source: 'form' });
    const after = applyUpsert(
      before,
      { email: before.email, first_name: 'Anna', last_name: null },
      undefined,
      none,
      later,
    );
    expect(after).toMatchObject({
      first_name: 'Anna',
      last_name: undefined,
      consent_source: 'form',
      updated_at: later,
    });
  });

  it('merges metadata by key, where null removes', () => {
    const before = made({ metadata: { city: 'Oslo', plan: 'pro' } });
    const after = applyUpsert(
      before,
      { email: before.email, metadata: { plan: null, age: 30 } },
      undefined,
      none,
      later,
    );
    expect(after.metadata).toEqual({ city: 'Oslo', age: 30 });
  });

  it('adds tags and lists, each once', () => {
    const before = made({ tag_ids: [3, 1], list_ids: [2] });
    const after = applyUpsert(before, { email: before.email, tag_ids: [2, 3], list_ids: [2] }, undefined, none, later);
    expect(after).toMatchObject({ tag_ids: [1, 2, 3], list_ids: [2] });
  });

  it.each(['unsubscribed', 'bounced', 'pending'] as const)('keeps a contact %s', (status) => {
    const before = { ...made(), status };
    expect(applyUpsert(before, { email: before.email, status_if_new: 'active' }, undefined, none, later).status).toBe(
      status,
    );
  });

  it('returns the same object when nothing changes', () => {
    const before = made({ first_name: 'Ann', metadata: { city: 'Oslo' }, tag_ids: [1] });
    const again = { email: before.email, first_name: 'Ann', metadata: { city: 'Oslo' }, tag_ids: [1] };
    expect(applyUpsert(before, again, undefined, none, later)).toBe(before);
  });
});

describe('a soft-deleted contact', () => {
  it('is on no list and no tag, and is restored to them under the same id', () => {
    const deleted = softDelete(made({ tag_ids: [1], list_ids: [2, 3] }), later);
    expect(deleted).toMatchObject({ tag_ids: [], list_ids: [], deleted_at: later });
    const restored = applyUpsert(deleted, { email: deleted.email, list_ids: [4] }, { ...asNew, id: 99 }, none, later);
    expect(restored).toMatchObject({ id: 7, tag_ids: [1], list_ids: [2, 3, 4], deleted_at: undefined });
  });

  it.each(['unsubscribed', 'bounced'] as const)('is restored as %s if it was', (status) => {
    const deleted = softDelete({ ...made(), status }, later);
    expect(applyUpsert(deleted, { email: deleted.email }, undefined, none, later).status).toBe(status);
  });
});

describe('a patch', () => {
  it('replaces tags and lists', () => {
    const after = applyPatch(made({ tag_ids: [1, 2], list_ids: [3] }), { tag_ids: [5], list_ids: [] }, none, later);
    expect(after).toMatchObject({ tag_ids: [5], list_ids: [] });
  });

  it('unsubscribes any contact and reactivates an unsubscribed one', () => {
    const gone = applyPatch(made(), { status: 'unsubscribed' }, none, later);
    expect(gone).toMatchObject({ status: 'unsubscribed', unsubscribed_at: later });
    expect(applyPatch(gone, { status: 'active' }, none, later)).toMatchObject({
      status: 'active',
      unsubscribed_at: undefined,
    });
  });

  it('does not activate a bounced contact', () => {
    const bounced = { ...made(), status: 'bounced' as const };
    expect(() => applyPatch(bounced, { status: 'active' }, none, later)).toThrow(/bounced/);
    expect(() => applyPatch(bounced, { status: 'pending' }, none, later)).toThrow(/bounced/);
  });
});

describe('a suppression', () => {
  it('changes active and pending contacts only: none is un-bounced or re-subscribed', () => {
    const bounced = { ...made(), status: 'bounced' as const };
    expect(suppressContact(bounced, 'unsubscribed', later)).toBe(bounced);
    const gone = suppressContact(made(), 'unsubscribed', later);
    expect(gone).toMatchObject({ status: 'unsubscribed', unsubscribed_at: later });
    expect(suppressContact(gone, 'bounced', later)).toBe(gone);
  });

  it('restores the status when it is lifted: active if the contact had subscribed, else pending', () => {
    const active = suppressContact(made(), 'bounced', later);
    expect(liftSuppression({ ...active, soft_bounce_count: 5 }, later)).toMatchObject({
      status: 'active',
      soft_bounce_count: 0,
    });
    const pending = suppressContact(made({ status_if_new: 'pending' }), 'unsubscribed', later);
    expect(liftSuppression(pending, later)).toMatchObject({ status: 'pending', unsubscribed_at: undefined });
  });
});

it('refuses metadata that grows over its limit by merging', () => {
  const half = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, 1]));
  const other = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`b${i}`, 1]));
  const before = made({ metadata: half });
  expect(contactFault(before)).toBeUndefined();
  expect(
    contactFault(applyUpsert(before, { email: before.email, metadata: other }, undefined, none, later)),
  ).toMatchObject({
    field: 'metadata',
  });
});

it('refuses a tag beyond the thousandth', () => {
  const full = made({ tag_ids: Array.from({ length: 1_000 }, (_, index) => index + 1) });
  expect(checked(full)).toBe(full);
  expect(() => checked(addTags(full, [1_001], later))).toThrow('tag_ids: a contact has at most 1000 tags');
});

describe('the confirmation of a double opt-in', () => {
  const asking = new Set([4, 5]);
  const nextDay = '2026-11-22T10:00:00.000+00:00';

  it('is requested when a list makes a contact pending, not by status_if_new alone', () => {
    expect(onDouble().confirmation_requested_at).toBe(now);
    expect(made({ status_if_new: 'pending' }).confirmation_requested_at).toBeUndefined();
    expect(made({ status_if_new: 'pending', list_ids: [3] }).confirmation_requested_at).toBeUndefined();
  });

  it('is requested when a pending contact joins such a list, at most once a day', () => {
    const before = { ...onDouble(), confirmation_sent_at: now };
    const soon = '2026-11-20T12:00:00.000+00:00';
    expect(joinList(before, 5, asking, soon).confirmation_requested_at).toBe(now);
    expect(joinList(before, 5, asking, later).confirmation_requested_at).toBe(later);
    expect(joinList(before, 6, asking, later).confirmation_requested_at).toBe(now);
    const patched = applyPatch(before, { list_ids: [4, 5] }, asking, later);
    expect(patched.confirmation_requested_at).toBe(later);
  });

  it('waits a day from when the last message was sent, so that no limit refuses the next', () => {
    const sent = { ...onDouble(), confirmation_sent_at: '2026-11-21T09:59:00.000+00:00' };
    expect(joinList(sent, 5, asking, later).confirmation_requested_at).toBe(now);
    expect(joinList(sent, 5, asking, nextDay).confirmation_requested_at).toBe(nextDay);
  });

  it('is not requested again, after a message was sent, by naming a list that the contact is on', () => {
    const sent = { ...onDouble(), confirmation_sent_at: now };
    expect(applyUpsert(sent, { email: sent.email, list_ids: [4] }, undefined, asking, nextDay)).toBe(sent);
    const unsent = onDouble();
    const again = applyUpsert(unsent, { email: unsent.email, list_ids: [4] }, undefined, asking, nextDay);
    expect(again.confirmation_requested_at).toBe(nextDay);
  });

  it('is never requested from a contact that is not pending', () => {
    for (const status of ['active', 'unsubscribed', 'bounced'] as const) {
      const contact = { ...made(), status };
      expect(joinList(contact, 4, asking, later).confirmation_requested_at).toBeUndefined();
    }
  });

  it('activates a pending contact and no other', () => {
    expect(confirmContact(onDouble(), later)).toMatchObject({
      status: 'active',
      confirmed_at: later,
      subscribed_at: later,
    });
    for (const status of ['active', 'unsubscribed', 'bounced'] as const) {
      const contact = { ...made(), status };
      expect(confirmContact(contact, later)).toBe(contact);
    }
  });
});
