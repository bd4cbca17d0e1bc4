import { serve } from '../../shared/http/serve.ts';
import { createSegment } from './create-segment.ts';
import { deleteSegment } from './delete-segment.ts';
import { getSegment } from './get-segment.ts';
import { listSegments } from './list-segments.ts';
import { previewDefinition } from './preview-definition.ts';
import { previewSegment } from './preview-segment.ts';
import { updateSegment } from './update-segment.ts';

export const endpoints = {
  listSegments,
  createSegment,
  previewSegmentDefinition: previewDefinition,
  getSegment,
  updateSegment,
  deleteSegment,
  previewSegment,
};
export const handler = serve(endpoints);
