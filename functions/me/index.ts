import { serve } from '../../shared/http/serve.ts';
import { getMe } from './get-me.ts';

export const endpoints = { getMe };
export const handler = serve(endpoints);
