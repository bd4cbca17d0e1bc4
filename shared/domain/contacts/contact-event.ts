import type { ContactEvent } from '../domain-event.ts';
import type { Contact } from './contact.ts';

/** The domain event of a contact's change; undefined when the API shows no difference. */
export function contactEvent(before: Contact | undefined, after: Contact | undefined): ContactEvent | undefined {
  const type = typeOf(before, after);
  const contact = after ?? before;
  if (!type || !contact) return undefined;
  const tag_ids = added(before?.tag_ids, after?.tag_ids);
  const list_ids = added(before?.list_ids, after?.list_ids);
  const asked = after?.confirmation_requested_at;
  return {
    id: `${contact.id}.${(before?.version ?? 0) + 1}`,
    type,
    contact_id: contact.id,
    email: contact.email,
    ...(before && after && after.status !== before.status && { status: after.status }),
    ...(before?.status === 'pending' && after?.status === 'active' && { subscribed: true }),
    ...(tag_ids.length > 0 && { tag_ids }),
    ...(list_ids.length > 0 && { list_ids }),
    ...(asked && asked !== before?.confirmation_requested_at && { confirm: true }),
  };
}

function typeOf(before: Contact | undefined, after: Contact | undefined): ContactEvent['type'] | undefined {
  if (!after || after.deleted_at) return before && !before.deleted_at ? 'contact.deleted' : undefined;
  if (!before) return 'contact.created';
  if (after.status === 'unsubscribed' && before.status !== 'unsubscribed') return 'contact.unsubscribed';
  return before.deleted_at || after.updated_at !== before.updated_at ? 'contact.updated' : undefined;
}

const added = (before: readonly number[] = [], after: readonly number[] = []): number[] =>
  after.filter((id) => !before.includes(id));
