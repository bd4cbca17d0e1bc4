import * as z from 'zod';
import { takeIds } from '../../data/counters.ts';
import * as usage from '../../data/teams/usage.ts';
import { learnFrom, type SubjectHistory } from '../../domain/copywriting/subject-history.ts';
import { testSubject as judge, type SubjectTest } from '../../domain/copywriting/subject-test.ts';
import { acceptable } from '../../domain/copywriting/subject-variations.ts';
import type { Operation } from '../../domain/operation.ts';
import { allowancePeriod, type Plan } from '../../domain/teams/plans.ts';
import { askModel, hasModel, type TokenBudget } from './ask-model.ts';
import { recentCampaigns } from './recent-campaigns.ts';

/** The campaigns that open rates are learned from. */
const maxCampaigns = 50;

/**
 * Scores a subject line and other wordings, on request with the team's open rates; counted once per operation. Throws
 * 422 when the month's tokens do not suffice or the model refuses, 503 when it is busy.
 */
export async function testSubject(
  { teamId, plan }: { teamId: number; plan: Plan },
  { subject, use_history }: { subject: string; use_history?: boolean | null },
  operation: Operation,
): Promise<SubjectTest & { id: number }> {
  const month = allowancePeriod(operation.startedAt);
  const history: SubjectHistory = use_history ? await historyOf(teamId) : { lifts: [] };
  const proposed = hasModel() ? await proposals({ teamId, plan, month }, subject, history) : undefined;
  const result = judge(subject, history, proposed);
  const id = await operation.memoize('id', () => takeIds(teamId, 'subject_test'));
  await operation.memoize('counted', async () => {
    await usage.add(teamId, month, 'subject_tests', 1);
    return true;
  });
  return { id, ...result };
}

async function historyOf(teamId: number): Promise<SubjectHistory> {
  const campaigns = await recentCampaigns(teamId, maxCampaigns);
  return learnFrom(
    campaigns.flatMap(({ subject, counts: { delivered, opened } }) =>
      subject ? [{ subject, delivered, opened }] : [],
    ),
  );
}

const answer = z.object({
  subjects: z.array(z.string()).min(1).max(10).describe('Other subject lines, each different in kind'),
});

const instructions = [
  'You write subject lines of marketing emails. You are given one as JSON. Write up to six others that say the same ',
  'in its language: 25 to 60 characters, no capitals for emphasis, no exclamation marks, nothing that sounds like ',
  'spam, no claims or offers that it does not make. {{…}} are merge tags: keep each one exactly and add none. ',
  'No web addresses.',
].join('');

/** The usable subject lines that the model proposes; undefined when there is none. */
async function proposals(
  budget: TokenBudget,
  subject: string,
  { lifts }: SubjectHistory,
): Promise<string[] | undefined> {
  const learned = lifts.map(({ reason }) => `- ${reason}`).join('\n');
  const { accepted } = await askModel(
    budget,
    {
      instructions: learned ? `${instructions}\nWhat is known of the readers:\n${learned}` : instructions,
      material: JSON.stringify({ subject }),
      answer: { name: 'propose_subjects', description: 'Hands in the subject lines.', schema: answer },
      maxTokens: 1_000,
    },
    ({ subjects }) => {
      const usable = acceptable(subject, subjects);
      return usable.length > 0 ? usable : undefined;
    },
  );
  return accepted;
}
