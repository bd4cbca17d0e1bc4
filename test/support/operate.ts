import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { OperatorCommand } from '../../functions/operator-commands.ts';
import { awsOf } from './stack.ts';

/** Runs an operator's command on the stack of a data folder; returns its answer, a refusal as `{ error }`. */
export async function operate(
  folder: string,
  command: OperatorCommand,
  input: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
): Promise<any> {
  const lambda = new LambdaClient({ ...awsOf(folder), maxAttempts: 1 });
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: 'mailwright-dev-operate', Payload: JSON.stringify({ command, ...input }) }),
  );
  const answer = JSON.parse(Buffer.from(Payload!).toString());
  if (FunctionError) throw new Error(answer.errorMessage);
  return answer;
}
