import * as sequences from '../../shared/data/sequences/sequences.ts';
import { NotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/endpoint.ts';

/** `{sequence}` in a path. */
export const sequenceParams = idParams('sequence');

/** The sequence that a path names, or 404. */
export async function sequenceOf(teamId: number, params: { sequence: number }): Promise<sequences.SequenceItem> {
  const found = await sequences.find(teamId, params.sequence);
  if (!found) throw new NotFound('sequence');
  return found;
}
