import { saveSteps } from '../../shared/flows/sequences/save-steps.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sequenceOf, sequenceParams, stepList, stepsInput, stepViews } from './schemas.ts';

export const setSteps = endpoint({
  method: 'PUT',
  path: '/sequences/{sequence}/steps',
  scope: 'campaigns:write',
  sendsWhen: 'while the sequence is active',
  summary: 'Replace the steps of a sequence, also while people are in it: nobody gets a step twice',
  extension: true,
  params: sequenceParams,
  body: stepsInput,
  response: dataOf(stepList),

  async handle({ caller, params, body }) {
    const { id } = await sequenceOf(caller.teamId, params);
    return { data: { steps: stepViews(await saveSteps(caller, id, body.steps)) } };
  },
});
