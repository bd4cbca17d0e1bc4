import { serve } from '../../shared/http/serve.ts';
import { addSubscribers } from './add-subscribers.ts';
import { createSequence } from './create-sequence.ts';
import { deleteSequence } from './delete-sequence.ts';
import { getSequence } from './get-sequence.ts';
import { getSteps } from './get-steps.ts';
import { listSequences } from './list-sequences.ts';
import { listSubscribers } from './list-subscribers.ts';
import { removeSubscriber } from './remove-subscriber.ts';
import { setSteps } from './set-steps.ts';
import { updateSequence } from './update-sequence.ts';

export const endpoints = {
  listSequences,
  createSequence,
  getSequence,
  updateSequence,
  deleteSequence,
  getSequenceSteps: getSteps,
  setSequenceSteps: setSteps,
  listSequenceSubscribers: listSubscribers,
  addSequenceSubscribers: addSubscribers,
  removeSequenceSubscriber: removeSubscriber,
};
export const handler = serve(endpoints);
