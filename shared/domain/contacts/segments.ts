import { timestamp } from '../time.ts';
import type { Contact } from './contact.ts';

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
export interface SegmentSubject
  extends Pick<Contact, 'email'>,
    Partial<Pick<Contact, 'metadata' | 'tag_ids' | 'created_at' | 'last_opened_at' | 'last_clicked_at'>> {
  first_name?: string | null;
  last_name?: string | null;
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

const [opened, clicked] = ['last_opened_at', 'last_clicked_at'] as const;

/** The attributes that an engagement filter reads, and whether one of them must be in its window, or none. */
const engagementRules = {
  opened: { reads: [opened], within: true },
  not_opened: { reads: [opened], within: false },
  clicked: { reads: [clicked], within: true },
  not_clicked: { reads: [clicked], within: false },
  inactive: { reads: [opened, clicked], within: false },
} as const;

function engaged({ type, days }: EngagementFilter, now: Date): Filter[] {
  if (type === 'received') return [];
  const { reads, within } = engagementRules[type];
  const start = Date.parse(windowStart(days, now));
  const isWithin = (at: string | undefined): boolean => at !== undefined && Date.parse(at) >= start;
  return [{ reads, passes: (contact) => reads.some((name) => isWithin(contact[name])) === within }];
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

/** Whether a contact matches a definition; `received` is decided in flows/campaigns/segment-filter.ts. */
export function matcher(definition: SegmentDefinition, now: Date): (contact: SegmentSubject) => boolean {
  const filters = filtersOf(definition, now);
  return (contact) => filters.every((filter) => filter.passes(contact));
}

/** The attributes of a contact's row that `matcher` reads. */
export const pathsOf = (definition: SegmentDefinition): string[] =>
  filtersOf(definition, new Date()).flatMap(({ reads }) => reads);

/** The start of the last `days`, 24 hours each. */
export const windowStart = (days: number, now: Date): string => timestamp(now.getTime() - days * 86_400_000);

const empty: Required<SegmentDefinition> = {
  tag_ids: [],
  date_from: null,
  date_to: null,
  search: null,
  company: null,
  location: null,
  engagement: null,
};

/** The definition with every key: null, or no tags, where a filter is not given. */
export function complete(definition: SegmentDefinition): Required<SegmentDefinition> {
  const given = Object.entries(definition).filter(([, filter]) => filter !== undefined && filter !== null);
  return { ...empty, ...Object.fromEntries(given) };
}
