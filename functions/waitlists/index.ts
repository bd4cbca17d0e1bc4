import { serve } from '../../shared/http/serve.ts';
import { addSignup } from './add-signup.ts';
import { createWaitlist } from './create-waitlist.ts';
import { deleteWaitlist } from './delete-waitlist.ts';
import { getWaitlist } from './get-waitlist.ts';
import { inviteSignups } from './invite-signups.ts';
import { listSignups } from './list-signups.ts';
import { listWaitlists } from './list-waitlists.ts';
import { removeSignup } from './remove-signup.ts';
import { updateWaitlist } from './update-waitlist.ts';

export const endpoints = {
  listWaitlists,
  createWaitlist,
  getWaitlist,
  updateWaitlist,
  deleteWaitlist,
  listWaitlistSignups: listSignups,
  addWaitlistSignup: addSignup,
  removeWaitlistSignup: removeSignup,
  inviteWaitlistSignups: inviteSignups,
};
export const handler = serve(endpoints);
