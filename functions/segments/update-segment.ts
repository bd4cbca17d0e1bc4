import * as segments from '../../shared/data/contacts/segments.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { checkTags } from './check-tags.ts';
import { segment, segmentBody, segmentOf, segmentParams } from './schemas.ts';

export const updateSegment = endpoint({
  method: 'PATCH',
  path: '/segments/{segment}',
  scope: 'contacts:write',
  summary: 'Rename a segment or replace its definition; campaigns keep what they copied',
  params: segmentParams,
  body: segmentBody,
  response: dataOf(segment),

  async handle({ caller: { teamId }, params, body }) {
    const { id } = await segmentOf(teamId, params);
    await checkTags(teamId, body.definition);
    const changed = await segments.update(teamId, id, body);
    return { data: segments.view(orNotFound(changed, 'segment')) };
  },
});
