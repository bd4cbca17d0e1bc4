import * as z from 'zod';
import { polishGoals, polishTones } from '../../shared/domain/copywriting/polish-options.ts';
import { polishContent as polish } from '../../shared/flows/copywriting/polish.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id } from '../../shared/http/schemas.ts';
import { content, score } from './schemas.ts';

const result = z
  .object({
    id,
    tweaked_content: z.string().describe('Markup, links and merge tags are those of the content'),
    ai_suggestions: z.array(z.string()).describe('What was changed and where, and what else could be'),
    quality_score: score.describe('How easily the result reads'),
    model_used: z.string().nullable().describe('null: the embedded engine'),
    tokens_used: z.int().min(0),
  })
  .meta({ id: 'PolishResult' });

export const polishContent = endpoint({
  method: 'POST',
  path: '/ai/polish',
  scope: 'ai:write',
  summary: "Polish the wording of a message; counts against the month's AI allowance",
  body: z
    .object({
      content,
      tone: z.enum(polishTones).nullish(),
      goal: z.enum(polishGoals).nullish(),
    })
    .meta({ id: 'PolishRequest' }),
  response: dataOf(result),

  async handle({ caller, body, operation }) {
    const polished = await polish(caller, body, operation);
    return {
      data: {
        id: polished.id,
        tweaked_content: polished.content,
        ai_suggestions: polished.suggestions,
        quality_score: polished.score,
        model_used: polished.model,
        tokens_used: polished.tokens,
      },
    };
  },
});
