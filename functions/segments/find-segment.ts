import * as segments from '../../shared/data/contacts/segments.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/schemas.ts';

/** `{segment}` in a path. */
export const segmentParams = idParams('segment');

/** The segment that a path names, or 404. */
export async function segmentOf(teamId: number, params: { segment: number }): Promise<segments.SegmentItem> {
  return orNotFound(await segments.find(teamId, params.segment), 'segment');
}
