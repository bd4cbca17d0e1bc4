import { timestamp } from '../time.ts';

/** What an engagement filter may ask for, in the last days. */
export const engagementTypes = ['opened', 'not_opened', 'clicked', 'not_clicked', 'received', 'inactive'] as const;

interface EngagementFilter {
  type: (typeof engagementTypes)[number];
  days: number;
}

/** Narrows an audience: every given filter must match. */
export interface SegmentDefinition {
  tag_ids?: number[] | null;
  date_from?: string | null;
  date_to?: string | null;
  search?: string | null;
  company?: string | null;
  location?: string | null;
  engagement?: EngagementFilter | null;
}

/** The part of a contact that a segment reads. */
export interface SegmentSubject {
  email: string;
  first_name?: string | null;
  last_name?: string | null;
  metadata?: Record<string, unknown>;
  tag_ids?: number[];
  created_at?: string;
  last_opened_at?: string;
  last_clicked_at?: string;
}

/** One filter of a definition with the attributes that it reads. */
interface Filter {
  reads: readonly string[];
  passes(contact: SegmentSubject): boolean;
}

/** A text for comparison, without regard to case or to the composition of accents. */
const folded = (text: string): string => text.toLowerCase().toUpperCase().normalize('NFC');

function containing(part: string, reads: readonly string[], values: (contact: SegmentSubject) => unknown[]): Filter {
  const wanted = folded(part);
  const contains = (value: unknown) => typeof value === 'string' && folded(value).includes(wanted);
  return { reads, passes: (contact) => values(contact).some(contains) };
}

function engaged({ type, days }: EngagementFilter, now: Date): Filter[] {
  const start = Date.parse(windowStart(days, now));
  const within = (at: string | undefined): boolean => at !== undefined && Date.parse(at) >= start;
  const opened = (contact: SegmentSubject) => within(contact.last_opened_at);
  const clicked = (contact: SegmentSubject) => within(contact.last_clicked_at);
  switch (type) {
    case 'opened':
      return [{ reads: ['last_opened_at'], passes: opened }];
    case 'not_opened':
      return [{ reads: ['last_opened_at'], passes: (contact) => !opened(contact) }];
    case 'clicked':
      return [{ reads: ['last_clicked_at'], passes: clicked }];
    case 'not_clicked':
      return [{ reads: ['last_clicked_at'], passes: (contact) => !clicked(contact) }];
    case 'inactive':
      return [
        { reads: ['last_opened_at', 'last_clicked_at'], passes: (contact) => !opened(contact) && !clicked(contact) },
      ];
    case 'received':
      return [];
  }
}

function filtersOf(definition: SegmentDefinition, now: Date): Filter[] {
  const { tag_ids, date_from, date_to, search, company, location, engagement } = definition;
  const created = (passes: (day: string) => boolean): Filter => ({
    reads: ['created_at'],
    passes: (contact) => passes(contact.created_at!.slice(0, 10)),
  });
  const given = [
    tag_ids?.length && {
      reads: ['tag_ids'],
      passes: (of: SegmentSubject) => tag_ids.some((id) => of.tag_ids!.includes(id)),
    },
    date_from && created((day) => day >= date_from),
    date_to && created((day) => day <= date_to),
    search && containing(search, ['email', 'first_name', 'last_name'], (of) => [of.email, of.first_name, of.last_name]),
    company && containing(company, ['metadata.company'], ({ metadata }) => [metadata?.company]),
    location &&
      containing(location, ['metadata.city', 'metadata.country', 'metadata.location'], ({ metadata }) => [
        metadata?.city,
        metadata?.country,
        metadata?.location,
      ]),
  ];
  return [...given.flatMap((filter) => filter || []), ...(engagement ? engaged(engagement, now) : [])];
}

/**
 * Whether a contact matches a definition at a time; `received` is decided elsewhere
 * (flows/campaigns/segment-filter.ts).
 */
export function matcher(definition: SegmentDefinition, now: Date): (contact: SegmentSubject) => boolean {
  const filters = filtersOf(definition, now);
  return (contact) => filters.every((filter) => filter.passes(contact));
}

/** The attributes of a contact's row that `matcher` reads. */
export function pathsOf(definition: SegmentDefinition): string[] {
  return filtersOf(definition, new Date()).flatMap(({ reads }) => reads);
}

/** The start of the last `days`, 24 hours each. */
export function windowStart(days: number, now: Date): string {
  return timestamp(now.getTime() - days * 86_400_000);
}

/** The definition with every key: null, or no tags, where a filter is not given. */
export function complete(definition: SegmentDefinition): Required<SegmentDefinition> {
  const { tag_ids, date_from, date_to, search, company, location, engagement } = definition;
  return {
    tag_ids: tag_ids ?? [],
    date_from: date_from ?? null,
    date_to: date_to ?? null,
    search: search ?? null,
    company: company ?? null,
    location: location ?? null,
    engagement: engagement ?? null,
  };
}
