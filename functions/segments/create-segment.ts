import * as segments from '../../shared/data/contacts/segments.ts';
import { takeIds } from '../../shared/data/counters.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { checkTags } from './check-tags.ts';
import { segment, segmentBody } from './schemas.ts';

export const createSegment = endpoint({
  method: 'POST',
  path: '/segments',
  scope: 'contacts:write',
  summary: 'Save a segment',
  body: segmentBody,
  response: dataOf(segment),

  async handle({ caller: { teamId }, body, operation }) {
    await checkTags(teamId, body.definition);
    const id = await operation.memoize('segment_id', () => takeIds(teamId, 'segment'));
    return { data: segments.view(await segments.create(teamId, id, body)) };
  },
});
