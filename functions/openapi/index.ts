import { serve } from '../../shared/http/serve.ts';
import { getOpenapi } from './get-openapi.ts';

export const endpoints = { getOpenapi };
export const handler = serve(endpoints);
