import * as z from 'zod';
import { previewSegment } from '../../shared/flows/campaigns/audience.ts';
import { segmentDefinitionInput } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { checkTags } from './check-tags.ts';
import { segmentPreview } from './schemas.ts';

export const previewDefinition = endpoint({
  method: 'POST',
  path: '/segments/preview',
  scope: 'contacts:read',
  summary: 'Count a definition without saving it, and show a sample',
  body: z.object({ definition: segmentDefinitionInput.optional() }).meta({ id: 'SegmentPreviewInput' }),
  response: segmentPreview,

  async handle({ caller: { teamId }, body: { definition = {} } }) {
    await checkTags(teamId, definition);
    return { data: await previewSegment(teamId, definition) };
  },
});
