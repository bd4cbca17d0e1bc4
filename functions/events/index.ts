import { serve } from '../../shared/http/serve.ts';
import { listEvents } from './list-events.ts';

export const endpoints = { listEvents };
export const handler = serve(endpoints);
