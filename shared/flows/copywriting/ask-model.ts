import { config } from '../../aws/config.ts';
import { ask, ModelFailed, type ModelReply, type ModelRequest, maxTokensOf } from '../../aws/model.ts';
import * as usage from '../../data/teams/usage.ts';
import { ApiError, NotApplicable } from '../../domain/errors.ts';
import type { Plan } from '../../domain/teams/plans.ts';

/** For both questions together: the API has to answer within 29 seconds. */
const timeoutMs = 24_000;
/** The time that a second question needs. */
const minRemainingMs = 6_000;

/** Whether this installation has a model. */
export const hasModel = (): boolean => config.bedrockModelId !== undefined;

/** The result of asking the model; without `accepted` neither of its two answers was usable. */
export interface FromModel<R> {
  accepted?: R;
  model: string;
  tokens: number;
}

/** The month's budget of tokens that a request is taken from. */
export interface TokenBudget {
  teamId: number;
  plan: Plan;
  month: string;
}

/**
 * Asks the model, and once more when its answer is not accepted and the month's tokens suffice. Throws 422 when they do
 * not suffice for the first time, or the model's safeguards refuse; 503 when it is busy.
 */
export async function askModel<T, R>(
  budget: TokenBudget,
  request: Omit<ModelRequest<T>, 'deadline'>,
  accept: (answer: T) => R | undefined,
): Promise<FromModel<R>> {
  const model = config.bedrockModelId!;
  const deadline = Date.now() + timeoutMs;
  let tokens = 0;
  for (let attempt = 0; attempt < 2 && deadline - Date.now() > minRemainingMs; attempt++) {
    const reply = await askWithin(budget, model, { ...request, deadline });
    if (!reply && attempt === 0)
      throw new ApiError(422, 'plan_allowance_exceeded', "What is left of the month's AI tokens does not suffice.");
    if (!reply) break;
    tokens += reply.tokens;
    if (reply.outcome === 'refused') throw new NotApplicable("The model's safeguards refused to work on this text.");
    const accepted = reply.outcome === 'answered' ? accept(reply.answer) : undefined;
    if (accepted !== undefined) return { accepted, model, tokens };
  }
  return { model, tokens };
}

/**
 * Asks once, with the maximum of tokens taken before and adjusted to those used; undefined when they do not suffice. A
 * crash, and an answer that is lost on its way, leave the maximum counted: Bedrock may bill it.
 */
async function askWithin<T>(
  { teamId, plan, month }: TokenBudget,
  model: string,
  request: ModelRequest<T>,
): Promise<ModelReply<T> | undefined> {
  const reserved = maxTokensOf(request);
  if (!(await usage.take(teamId, plan, month, 'ai_tokens', reserved))) return undefined;
  try {
    const reply = await ask(model, request);
    await usage.add(teamId, month, 'ai_tokens', reply.tokens - reserved);
    return reply;
  } catch (error) {
    if (error instanceof ModelFailed && !error.mayHaveRun) await usage.add(teamId, month, 'ai_tokens', -reserved);
    throw error;
  }
}
