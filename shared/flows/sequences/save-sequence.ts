import type { SequenceInput, SequenceItem } from '../../data/sequences/sequences.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as steps from '../../data/sequences/steps.ts';
import * as waitlists from '../../data/waitlists/waitlists.ts';
import { type FieldErrors, NotApplicable, NotFound, SendBlocked, ValidationError } from '../../domain/errors.ts';
import { checkContent } from '../../domain/messages/screening.ts';
import { mayMove, stepFaults, triggerFields } from '../../domain/sequences/sequence.ts';
import { requireSender } from '../../domain/teams/scopes.ts';
import { teamBlockers } from '../campaigns/team-blockers.ts';
import { findReferences } from '../contacts/find-references.ts';
import { checkSender } from '../messages/deliver-once.ts';

type References = Pick<SequenceInput, 'trigger_tag_id' | 'trigger_list_id' | 'trigger_waitlist_id'>;

/** Throws 422 with the fields that name a tag, list or waitlist that the team does not have. */
export async function checkTriggers(teamId: number, named: References): Promise<void> {
  const { trigger_tag_id, trigger_list_id, trigger_waitlist_id } = named;
  const refused: FieldErrors = {};
  if (trigger_waitlist_id && !(await waitlists.find(teamId, trigger_waitlist_id)))
    refused.trigger_waitlist_id = ['no such waitlist'];
  await findReferences(
    teamId,
    {
      tags: [{ path: 'trigger_tag_id', id: trigger_tag_id }],
      lists: [{ path: 'trigger_list_id', id: trigger_list_id }],
    },
    refused,
  );
}

/** Who changes a sequence: a team, by a key with these scopes. */
export interface Editor {
  teamId: number;
  scopes: readonly string[] | null;
}

/**
 * Writes fields of a sequence; throws 404, 403 for what only a sender may do, 422 for a wrong change of status or for
 * what an active one still lacks.
 */
export async function updateSequence(
  { teamId, scopes }: Editor,
  id: number,
  input: SequenceInput,
): Promise<SequenceItem> {
  const updated = await sequences.change(teamId, id, async (before) => {
    const after = sequences.withInput(before, input);
    if (!mayMove(before.status, after.status))
      throw new NotApplicable(`The sequence is ${before.status}: it cannot be made ${after.status}.`);
    const sends = after.status === 'active' && (before.status !== 'active' || touchesSending(input));
    if (sends) requireSender(scopes, 'the sequence is active, or would be');
    await checkTriggers(teamId, changedOf(before, input));
    if (sends) await checkReady(teamId, after);
    if (sends && before.status !== 'active') await checkAbuse(teamId, id);
    return { result: after, after };
  });
  if (!updated) throw new NotFound('sequence');
  return updated;
}

/** Only changed references are checked: one that is kept may have been deleted since. */
function changedOf(before: SequenceItem, input: SequenceInput): References {
  const named = Object.values(triggerFields).filter((field) => input[field] !== before[field]);
  return Object.fromEntries(named.map((field) => [field, input[field]]));
}

const touchesSending = (input: SequenceInput): boolean =>
  Object.entries(input).some(([name, value]) => value !== undefined && /^(from_|reply_to|trigger_)/.test(name));

/** Throws 422 with what an active sequence still lacks. */
async function checkReady(teamId: number, sequence: SequenceItem): Promise<void> {
  const { trigger_type: type, from_email } = sequence;
  if (type in triggerFields) {
    const field = triggerFields[type as keyof typeof triggerFields];
    if (!sequence[field]) throw new ValidationError({ [field]: [`required while the trigger is ${type}`] });
    await checkTriggers(teamId, { [field]: sequence[field] });
  }
  checkSteps((await steps.find(teamId, sequence.id)).steps);
  if (!from_email) throw new NotApplicable('The sequence cannot be active: it has no from_email.');
  await checkSender(teamId, from_email);
}

/** Throws 422 while the team may send nothing, and for what screening finds in a step. */
async function checkAbuse(teamId: number, id: number): Promise<void> {
  const [blockers, { steps: list }] = await Promise.all([teamBlockers(teamId), steps.find(teamId, id)]);
  if (blockers.length > 0) throw new SendBlocked(blockers);
  const ids = list.map(({ body_id }) => body_id);
  for (const html_content of await steps.bodies(teamId, id, ids)) checkContent({ html_content });
}

/** Throws 422 for steps that an active sequence cannot have. */
export function checkSteps(list: Parameters<typeof stepFaults>[0]): void {
  const faults = stepFaults(list);
  if (faults.length > 0) throw new NotApplicable(`The sequence cannot be active: ${faults.join('; ')}.`);
}
