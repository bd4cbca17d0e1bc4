import { serve } from '../../shared/http/serve.ts';
import { ingestEvents } from './ingest-events.ts';
import { listEvents } from './list-events.ts';

export const endpoints = { listEvents, ingestEvents };
export const handler = serve(endpoints);
