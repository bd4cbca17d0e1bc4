import * as steps from '../../shared/data/sequences/steps.ts';
import * as subscribers from '../../shared/data/sequences/subscribers.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { sequenceOf, sequenceParams, subscriber } from './schemas.ts';

export const listSubscribers = endpoint({
  method: 'GET',
  path: '/sequences/{sequence}/subscribers',
  scope: 'campaigns:read',
  summary:
    'List everybody who was enrolled into a sequence, by email; `current_step` is the one that somebody waits for',
  params: sequenceParams,
  query: pageQuery,
  response: pageOf(subscriber),

  async handle(context) {
    const { teamId } = context.caller;
    const { id } = await sequenceOf(teamId, context.params);
    const { steps: list } = await steps.find(teamId, id);
    return paginate(context, subscribers.list(teamId, id), (row) => subscribers.view(row, list));
  },
});
