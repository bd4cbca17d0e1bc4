import { config } from '../../aws/config.ts';
import { ask, type ModelRequest } from '../../aws/model.ts';
import * as usage from '../../data/teams/usage.ts';
import { NotApplicable } from '../../domain/errors.ts';

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

/**
 * Asks the model, and once more when its answer is not accepted; counts the tokens for the team. Throws 422 when the
 * model's safeguards refuse, 503 when it is busy.
 */
export async function askModel<T, R>(
  { teamId, month }: { teamId: number; month: string },
  request: Omit<ModelRequest<T>, 'deadline'>,
  accept: (answer: T) => R | undefined,
): Promise<FromModel<R>> {
  const model = config.bedrockModelId!;
  const deadline = Date.now() + timeoutMs;
  let tokens = 0;
  for (let attempt = 0; attempt < 2 && deadline - Date.now() > minRemainingMs; attempt++) {
    const reply = await ask(model, { ...request, deadline });
    tokens += reply.tokens;
    if (reply.tokens > 0) await usage.add(teamId, month, 'ai_tokens', reply.tokens);
    if (reply.outcome === 'refused') throw new NotApplicable("The model's safeguards refused to work on this text.");
    const accepted = reply.outcome === 'answered' ? accept(reply.answer) : undefined;
    if (accepted !== undefined) return { accepted, model, tokens };
  }
  return { model, tokens };
}
