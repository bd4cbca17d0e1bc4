/** What an engagement filter may ask for, over a trailing window of days. */
export const engagementTypes = ['opened', 'not_opened', 'clicked', 'not_clicked', 'received', 'inactive'] as const;

/** Narrows an audience: every given filter must match. */
export interface SegmentDefinition {
  tag_ids?: number[] | null;
  date_from?: string | null;
  date_to?: string | null;
  search?: string | null;
  company?: string | null;
  location?: string | null;
  engagement?: { type: (typeof engagementTypes)[number]; days: number } | null;
}

/** The part of a contact that a segment decides on. */
export interface SegmentSubject {
  email: string;
  first_name?: string | null;
  last_name?: string | null;
  metadata: Record<string, unknown>;
  tag_ids: number[];
  created_at: string;
  last_opened_at?: string;
  last_clicked_at?: string;
}

const contains = (value: unknown, part: string): boolean =>
  typeof value === 'string' && value.toLowerCase().includes(part.toLowerCase());

const within = (at: string | undefined, days: number, now: Date): boolean =>
  at !== undefined && Date.parse(at) >= now.getTime() - days * 86_400_000;

function engaged(
  contact: SegmentSubject,
  { type, days }: NonNullable<SegmentDefinition['engagement']>,
  now: Date,
): boolean {
  const opened = within(contact.last_opened_at, days, now);
  const clicked = within(contact.last_clicked_at, days, now);
  switch (type) {
    case 'opened':
      return opened;
    case 'not_opened':
      return !opened;
    case 'clicked':
      return clicked;
    case 'not_clicked':
      return !clicked;
    case 'inactive':
      return !opened && !clicked;
    case 'received':
      throw new Error('received is decided on recipient pages, not on a contact');
  }
}

/** Whether a contact matches a definition at a moment. */
export function matches(definition: SegmentDefinition, contact: SegmentSubject, now: Date): boolean {
  const { tag_ids, date_from, date_to, search, company, location, engagement } = definition;
  const day = contact.created_at.slice(0, 10);
  const { metadata } = contact;
  return (
    (!tag_ids?.length || tag_ids.some((id) => contact.tag_ids.includes(id))) &&
    (!date_from || day >= date_from.slice(0, 10)) &&
    (!date_to || day <= date_to.slice(0, 10)) &&
    (!search || [contact.email, contact.first_name, contact.last_name].some((value) => contains(value, search))) &&
    (!company || contains(metadata.company, company)) &&
    (!location || [metadata.city, metadata.country, metadata.location].some((value) => contains(value, location))) &&
    (!engagement || engaged(contact, engagement, now))
  );
}
