import * as received from '../../data/campaigns/received.ts';
import * as tags from '../../data/contacts/tags.ts';
import { matcher, type SegmentDefinition, type SegmentSubject, windowStart } from '../../domain/contacts/segments.ts';

/** Filters a batch of contacts, in any order, to those in the segment. */
export type SegmentFilter = <T extends SegmentSubject>(contacts: readonly T[]) => Promise<T[]>;

/** The filter of a segment at a time, for previews, listings and audiences alike. */
export function segmentFilter(teamId: number, definition: SegmentDefinition, now: Date): SegmentFilter {
  let prepared: Promise<SegmentFilter> | undefined;
  return async (contacts) => {
    prepared ??= prepare(teamId, definition, now);
    return (await prepared)(contacts);
  };
}

async function prepare(teamId: number, definition: SegmentDefinition, now: Date): Promise<SegmentFilter> {
  const existing = (await tags.uncounted.batch(teamId, definition.tag_ids ?? [])).flatMap((tag) => tag ?? []);
  if (definition.tag_ids?.length && existing.length === 0) return async () => [];
  const matches = matcher({ ...definition, tag_ids: existing.map(({ id }) => id) }, now);
  const { engagement } = definition;
  if (engagement?.type !== 'received') return async (contacts) => contacts.filter(matches);
  const since = windowStart(engagement.days, now);
  const campaigns = await received.campaignsSince(teamId, since);
  return async (contacts) => {
    const candidates = contacts.filter(matches);
    const emails = candidates.map(({ email }) => email);
    const found = await receivers(teamId, campaigns, emails, since);
    return candidates.filter(({ email }) => found.has(email));
  };
}

/** The tags of a definition that still exist, with their counts; a deleted tag matches no contact from then on. */
export async function existingTags(teamId: number, { tag_ids }: SegmentDefinition): Promise<tags.TagItem[]> {
  return (await tags.batch(teamId, tag_ids ?? [])).flatMap((tag) => tag ?? []);
}

/** Those of the addresses that were sent any of the campaigns since a time. */
async function receivers(teamId: number, campaigns: number[], emails: string[], since: string): Promise<Set<string>> {
  const found = new Set<string>();
  let left = emails;
  for (const campaign of campaigns) {
    if (left.length === 0) break;
    for (const email of await received.sentTo(teamId, campaign, left, since)) found.add(email);
    left = left.filter((email) => !found.has(email));
  }
  return found;
}
