import * as z from 'zod';
import { testSubject as test } from '../../shared/flows/copywriting/test-subject.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id, singleLine } from '../../shared/http/schemas.ts';
import { score } from './schemas.ts';

const variation = z
  .object({ subject: z.string(), score, reason: z.string() })
  .meta({ id: 'SubjectVariation', description: 'Another way to say a subject line, and why it has its score' });

const result = z
  .object({
    id,
    variations: z
      .array(variation)
      .describe('The best first, five at most; none where rules find no other way to say it'),
    winning_subject: z.string().describe('The given one where no variation does better'),
    original_score: score,
    best_score: score,
  })
  .meta({ id: 'SubjectTestResult' });

export const testSubject = endpoint({
  method: 'POST',
  path: '/ai/subject-lines',
  scope: 'ai:write',
  summary: 'Score a subject line and propose others',
  body: z
    .object({
      subject: singleLine(255),
      use_history: z
        .boolean()
        .nullish()
        .describe("Score by what the team's own readers have opened, over its last 50 campaigns"),
    })
    .meta({ id: 'SubjectTestRequest' }),
  response: dataOf(result),
  handle: async ({ caller, body, operation }) => ({ data: await test(caller, body, operation) }),
});
