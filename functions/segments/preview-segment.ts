import { previewSegment as preview } from '../../shared/flows/campaigns/audience.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { segmentOf, segmentParams, segmentPreview } from './schemas.ts';

export const previewSegment = endpoint({
  method: 'POST',
  path: '/segments/{segment}/preview',
  scope: 'contacts:read',
  summary: 'Count a saved segment and show a sample of it',
  params: segmentParams,
  response: segmentPreview,

  async handle({ caller: { teamId }, params }) {
    const { definition } = await segmentOf(teamId, params);
    return { data: await preview(teamId, definition) };
  },
});
