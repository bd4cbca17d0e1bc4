import type { Step } from '../../domain/sequences/sequence.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** The steps of a sequence, in order; their bodies are separate rows. */
interface StepsItem {
  steps: Step[];
  /** The highest id ever used. */
  last_id: number;
}

/** Reads a sequence's steps and the highest id ever used. */
export async function find(teamId: number, sequenceId: number): Promise<StepsItem> {
  const item = await table.get<StepsItem>(keys.sequenceSteps(teamId, sequenceId));
  return { steps: item?.steps ?? [], last_id: item?.last_id ?? 0 };
}

/** The write that replaces a sequence's steps; it belongs in a change of the sequence (sequences.change). */
export function replace(teamId: number, sequenceId: number, item: StepsItem): table.TransactionWrite {
  return { Put: { Item: { ...keys.sequenceSteps(teamId, sequenceId), ...item } } };
}

/** Stores a body under a new id; a stored body never changes. */
export async function putBody(teamId: number, sequenceId: number, bodyId: string, html_content: string): Promise<void> {
  await table.put({ Item: { ...keys.stepBody(teamId, sequenceId, bodyId), html_content } });
}

/** Reads bodies, in the order of their ids; undefined for a deleted one. */
export async function bodies(
  teamId: number,
  sequenceId: number,
  ids: readonly (string | undefined)[],
): Promise<(string | undefined)[]> {
  const wanted = ids.map((id) => keys.stepBody(teamId, sequenceId, id ?? ''));
  const found = await table.batchGet<{ html_content: string }>(wanted);
  return found.map((item) => item?.html_content);
}

/** Deletes bodies. */
export async function removeBodies(teamId: number, sequenceId: number, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => table.remove({ Key: keys.stepBody(teamId, sequenceId, id) })));
}
