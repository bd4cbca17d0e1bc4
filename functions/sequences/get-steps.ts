import { readSteps } from '../../shared/flows/sequences/save-steps.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sequenceOf, sequenceParams, stepList, stepViews } from './schemas.ts';

export const getSteps = endpoint({
  method: 'GET',
  path: '/sequences/{sequence}/steps',
  scope: 'campaigns:read',
  summary: 'List the steps of a sequence, in order',
  extension: true,
  params: sequenceParams,
  response: dataOf(stepList),

  async handle({ caller: { teamId }, params }) {
    const { id } = await sequenceOf(teamId, params);
    return { data: { steps: stepViews(await readSteps(teamId, id)) } };
  },
});
