import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { NotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/endpoint.ts';

/** `{waitlist}` in a path. */
export const waitlistParams = idParams('waitlist');

/** The waitlist that a path names, or 404. */
export async function waitlistOf(teamId: number, params: { waitlist: number }): Promise<waitlists.WaitlistItem> {
  const found = await waitlists.find(teamId, params.waitlist);
  if (!found) throw new NotFound('waitlist');
  return found;
}
