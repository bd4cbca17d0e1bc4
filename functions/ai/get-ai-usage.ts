import * as z from 'zod';
import { inMonth } from '../../shared/data/teams/usage.ts';
import { allowanceBounds, allowancePeriod, plans } from '../../shared/domain/teams/plans.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { time } from '../../shared/http/schemas.ts';
import { allowance } from './schemas.ts';

const usage = z
  .object({
    period_start: time,
    period_end: time.describe('When the next period begins'),
    ai_tweaks: allowance.describe('Polished texts'),
    subject_tests: allowance.describe('Subject lines tested; not limited'),
    emails: allowance,
    ai_tokens: allowance.describe(
      'Beyond the contract: tokens of the model, with those reserved for requests under way',
    ),
  })
  .meta({ id: 'AiUsage' });

const against = (used: number, limit: number | null) => ({
  used,
  limit,
  remaining: limit === null ? null : Math.max(0, limit - used),
});

export const getAiUsage = endpoint({
  method: 'GET',
  path: '/ai/usage',
  scope: 'any-key',
  summary: "Show what is used of the month's allowances",
  response: dataOf(usage),

  async handle({ caller: { teamId, plan } }) {
    const month = allowancePeriod(new Date());
    const { start, end } = allowanceBounds(month);
    const used = await inMonth(teamId, month);
    return {
      data: {
        period_start: timestamp(start),
        period_end: timestamp(end),
        ai_tweaks: against(used.ai_tweaks, plans[plan].aiTweaksPerMonth),
        subject_tests: against(used.subject_tests, null),
        emails: against(used.emails, plans[plan].emailsPerMonth),
        ai_tokens: against(used.ai_tokens, plans[plan].aiTokensPerMonth),
      },
    };
  },
});
