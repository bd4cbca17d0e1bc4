import type { ContactFilter, ContactIndex } from '../../shared/data/contacts/contacts.ts';
import { withCounts } from '../../shared/data/contacts/member-counts.ts';
import type { SegmentItem } from '../../shared/data/contacts/segments.ts';
import { existingTags } from '../../shared/flows/campaigns/segment-filter.ts';
import { findReferences } from '../../shared/flows/contacts/find-references.ts';

/** A list or tag of at most this many contacts is a better index than a status, whose size is unknown. */
const smallSize = 1_000;

/** The cheapest index for a filter; 422 on a tag, list or segment that is not the team's. */
export async function filterRecords(
  teamId: number,
  filter: Pick<ContactFilter, 'status' | 'tag_id' | 'list_id'> & { segment_id?: number },
): Promise<{ index: ContactIndex; segment: SegmentItem | undefined }> {
  const { status, tag_id, list_id, segment_id } = filter;
  const found = await findReferences(teamId, {
    tags: [{ path: 'tag_id', id: tag_id }],
    lists: [{ path: 'list_id', id: list_id }],
    segments: [{ path: 'segment_id', id: segment_id }],
  });
  const segment = found.segments.get(segment_id ?? 0);
  const [tags, lists] = await Promise.all([
    withCounts(teamId, 'tag', [...found.tags.values()]),
    withCounts(teamId, 'list', [...found.lists.values()]),
  ]);
  const sized: { index: ContactIndex; size: number }[] = [
    ...tags.map((tag) => ({ index: byTags([tag.id]), size: tag.contacts_count })),
    ...lists.map((list) => ({ index: byList(list.id), size: list.contacts_count })),
  ];
  if (segment?.definition.tag_ids?.length) {
    const any = await existingTags(teamId, segment.definition);
    const size = any.reduce((sum, tag) => sum + tag.contacts_count, 0);
    sized.push({ index: byTags(any.map(({ id }) => id)), size });
  }
  const [smallest] = sized.sort((a, b) => a.size - b.size);
  if (status !== undefined && status !== 'active' && !(smallest && smallest.size <= smallSize))
    return { index: { by: 'status', status }, segment };
  return { index: smallest?.index ?? { by: 'email' }, segment };
}

const byTags = (ids: readonly number[]): ContactIndex => ({ by: 'tags', ids });
const byList = (id: number): ContactIndex => ({ by: 'list', id });
