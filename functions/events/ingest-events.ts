import * as z from 'zod';
import { ingestEvents as ingest } from '../../shared/flows/feedback/ingest-events.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { eventInput } from './schemas.ts';

const limit = 1_000;

export const ingestEvents = endpoint({
  method: 'POST',
  path: '/events',
  scope: 'events:write',
  summary: 'Report up to 1,000 delivery events of another system; they have taken effect when the answer comes',
  body: z
    .object({ events: z.array(eventInput).max(limit, `at most ${limit} events`) })
    .meta({ id: 'DeliveryEventsInput' }),
  response: z.object({ status: z.literal('processed'), processed: z.int() }),

  async handle({ caller, body, operation }) {
    await ingest(caller.teamId, body.events, operation.startedAt);
    return { status: 'processed' as const, processed: body.events.length };
  },
});
