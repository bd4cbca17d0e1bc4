import * as z from 'zod';
import { takeIds } from '../../shared/data/counters.ts';
import { severities } from '../../shared/domain/copywriting/deliverability.ts';
import { judgeDeliverability } from '../../shared/flows/copywriting/judge-deliverability.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id, singleLine } from '../../shared/http/schemas.ts';
import { content, score } from './schemas.ts';

const issue = z
  .object({
    code: z.string(),
    severity: z.enum(severities),
    score: score.describe('Its part of the spam score'),
    message: z.string(),
    suggestion: z.string(),
  })
  .meta({ id: 'DeliverabilityIssue' });

const result = z
  .object({
    id,
    spam_score: score.describe('Lower is better; the issues together, 100 at most'),
    issues: z.array(issue).describe('The heaviest first'),
    checks_passed: z.array(z.object({ code: z.string(), message: z.string() })),
    verdict: z.enum(['pass', 'warn', 'fail']).describe('pass below 30, warn below 60'),
  })
  .meta({ id: 'DeliverabilityResult' });

export const checkDeliverability = endpoint({
  method: 'POST',
  path: '/ai/deliverability',
  scope: 'ai:write',
  summary: 'Judge how mail filters will take a message',
  body: z
    .object({
      content,
      subject: singleLine(255, 0).nullish(),
      use_account_signals: z
        .boolean()
        .nullish()
        .describe(
          "Weigh in the bounces and complaints of the team's last ten campaigns and whether a sending domain is " +
            'verified; true unless given',
        ),
    })
    .meta({ id: 'DeliverabilityRequest' }),
  response: dataOf(result),

  async handle({ caller: { teamId }, body, operation }) {
    const judged = await judgeDeliverability(teamId, body, body.use_account_signals ?? true);
    return { data: { id: await operation.memoize('id', () => takeIds(teamId, 'deliverability_check')), ...judged } };
  },
});
