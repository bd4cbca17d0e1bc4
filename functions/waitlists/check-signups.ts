import * as signups from '../../shared/data/waitlists/signups.ts';
import { type FieldErrors, ValidationError } from '../../shared/domain/errors.ts';

/** Checks that signups of a body are the waitlist's; throws 422 on each that is not. */
export async function checkSignups(teamId: number, waitlistId: number, ids: readonly number[] = []): Promise<void> {
  const found = await signups.batch(teamId, waitlistId, ids);
  const errors: FieldErrors = {};
  for (const index of ids.keys()) if (!found[index]) errors[`signup_ids.${index}`] = ['no such signup'];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}
