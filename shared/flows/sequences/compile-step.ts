import * as steps from '../../data/sequences/steps.ts';
import { type CompiledMessage, compile } from '../../domain/messages/merge-tags.ts';
import type { Step } from '../../domain/sequences/sequence.ts';
import { plainText } from '../messages/plain-text.ts';

const maxCompiled = 32;
const compiled = new Map<string, Promise<CompiledMessage | undefined>>();

/** A step's message, memoized by subject and body in this worker; undefined when its body was replaced since. */
export function compiledStep(teamId: number, sequenceId: number, step: Step): Promise<CompiledMessage | undefined> {
  const name = JSON.stringify([teamId, sequenceId, step.body_id, step.subject]);
  let message = compiled.get(name);
  if (!message) {
    message = compileStep(teamId, sequenceId, step);
    message.then(
      (found) => found ?? compiled.delete(name),
      () => compiled.delete(name),
    );
    compiled.set(name, message);
    if (compiled.size > maxCompiled) compiled.delete(compiled.keys().next().value!);
  }
  return message;
}

async function compileStep(teamId: number, sequenceId: number, step: Step): Promise<CompiledMessage | undefined> {
  const [html] = await steps.bodies(teamId, sequenceId, [step.body_id]);
  return html && step.subject ? compile({ subject: step.subject, html, text: await plainText(html) }) : undefined;
}
