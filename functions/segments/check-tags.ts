import type { SegmentDefinition } from '../../shared/domain/contacts/segments.ts';
import { findReferences } from '../../shared/flows/contacts/find-references.ts';

/** Checks that the tags of a body's definition are the team's; throws 422 on each that is not. */
export async function checkTags(teamId: number, definition: SegmentDefinition | undefined): Promise<void> {
  await findReferences(teamId, { tags: [{ path: 'definition.tag_ids', ids: definition?.tag_ids ?? undefined }] });
}
