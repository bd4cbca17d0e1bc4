import { describe, expect, it } from 'vitest';
import {
  applyUpsert,
  type Contact,
  forget,
  leave,
  softDelete,
  suppressContact,
} from '../../../shared/domain/contacts/contact.ts';
import { contactEvent } from '../../../shared/domain/contacts/contact-event.ts';

const now = '2026-11-20T10:00:00.000+00:00';
const later = '2026-11-21T10:00:00.000+00:00';
const none = new Set<number>();
const email = 'ann@example.com';
const upsert = (before: Contact | undefined, input: object, at = later, asking = none) =>
  applyUpsert(before, { email, ...input }, { id: 7, created_by: 'operation' }, asking, at);
const ann = upsert(undefined, { tag_ids: [1], list_ids: [2] }, now);

describe('the domain event of a change', () => {
  it('names a new contact with the tags and lists it got', () => {
    expect(contactEvent(undefined, ann)).toEqual({
      id: '7.1',
      type: 'contact.created',
      contact_id: 7,
      email,
      tag_ids: [1],
      list_ids: [2],
    });
  });

  it('names the tags and lists that were added, not those that were there', () => {
    expect(contactEvent(ann, upsert(ann, { tag_ids: [1, 3], list_ids: [2, 9] }))).toEqual({
      id: '7.2',
      type: 'contact.updated',
      contact_id: 7,
      email,
      tag_ids: [3],
      list_ids: [9],
    });
    expect(contactEvent(ann, leave(ann, 'tag_ids', 1, later))).toMatchObject({ type: 'contact.updated' });
  });

  it('distinguishes unsubscribing and deleting (soft or for good) from other changes', () => {
    expect(contactEvent(ann, suppressContact(ann, 'unsubscribed', later))?.type).toBe('contact.unsubscribed');
    expect(contactEvent(ann, suppressContact(ann, 'bounced', later))?.type).toBe('contact.updated');
    expect(contactEvent(ann, softDelete(ann, later))?.type).toBe('contact.deleted');
    expect(contactEvent(ann, undefined)?.type).toBe('contact.deleted');
  });

  it('names the restored memberships of a restored contact', () => {
    const gone = softDelete(ann, later);
    expect(contactEvent(gone, upsert(gone, {}))).toMatchObject({
      type: 'contact.updated',
      tag_ids: [1],
      list_ids: [2],
    });
  });

  it('asks for a confirmation message once per request', () => {
    const asking = new Set([4]);
    const pending = upsert(undefined, { list_ids: [4] }, now, asking);
    expect(contactEvent(undefined, pending)).toMatchObject({ confirm: true });
    expect(contactEvent(pending, upsert(pending, { first_name: 'Ann' }, later, asking))).not.toHaveProperty('confirm');
  });

  it('is absent when the API shows no difference', () => {
    expect(contactEvent(ann, forget(ann, 'list_ids', 2))).toBeUndefined();
    const gone = softDelete(ann, later);
    expect(contactEvent(gone, undefined)).toBeUndefined();
    expect(contactEvent(gone, { ...gone, status: 'unsubscribed' })).toBeUndefined();
  });
});
