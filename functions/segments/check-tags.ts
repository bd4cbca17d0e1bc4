import type { SegmentDefinition } from '../../shared/domain/contacts/segments.ts';
import { findReferences } from '../../shared/flows/contacts/find-references.ts';

/** Throws 422 on each tag of a definition that is not the team's. */
export async function checkTags(teamId: number, definition: SegmentDefinition | undefined): Promise<void> {
  await findReferences(teamId, { tags: [{ path: 'definition.tag_ids', ids: definition?.tag_ids ?? undefined }] });
}
