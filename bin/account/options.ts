import { type KeptOptions, keptOptions, readOptions } from '../../lib/options.ts';
import { Explained } from '../local-stack.ts';
import { type Fact, knownOf } from './facts.ts';

/** Takes the profile (`--profile NAME`) out of the options of the CDK: all calls of AWS are made with it. */
export function takeProfile(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^--profile(=|$)/.test(arg));
  if (at < 0) return [...args];
  const [, joined] = args[at]!.split(/=(.*)/s);
  process.env.AWS_PROFILE = joined ?? args[at + 1] ?? '';
  return args.toSpliced(at, joined === undefined ? 2 : 1);
}

/** The context (`-c name=value`) among the options of `cdk deploy`, and the other options. */
export function splitOptions(args: readonly string[]): { context: Record<string, string>; others: string[] } {
  const context: Record<string, string> = {};
  const others: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [, flag, joined] = /^(-c|--context)(?:=(.*))?$/s.exec(args[at]!) ?? [];
    if (flag === undefined) others.push(args[at]!);
    else {
      const [name = '', value = ''] = (joined ?? args[++at] ?? '').split(/=(.*)/s);
      context[name] = value;
    }
  }
  return { context, others };
}

/**
 * The options of the next deployment: those of the last one, and over them what is given; an empty value removes an
 * option.
 */
export function nextOptions(deployed: KeptOptions, given: Record<string, string>): KeptOptions {
  const all: Record<string, string> = { ...deployed, ...given };
  return readOptions((name) => all[name]);
}

/**
 * The context that tells a stage what Lambda runs at once. Throws for a deployed stage where neither Lambda nor an
 * option says it: the AI tools would lose the concurrency that is reserved for them.
 */
export function measuredContext(
  concurrency: Fact<number>,
  isDeployed: boolean,
  options: KeptOptions,
): Record<string, string> {
  const measured = knownOf(concurrency);
  if (measured !== undefined) return { measuredConcurrency: String(measured) };
  if (isDeployed && options.accountConcurrency === undefined)
    throw new Explained(
      'Lambda did not say how many functions the account runs at once, and the stage would lose what it has of them: ' +
        'try again, or give the number (-c accountConcurrency=1000).',
    );
  return {};
}

/** A line for each option that the next deployment has or no longer has, marked where it differs from the last one. */
export function optionLines(deployed: KeptOptions, next: KeptOptions): string[] {
  return keptOptions.flatMap((name) => {
    const [before, after] = [deployed[name], next[name]];
    if (before === undefined && after === undefined) return [];
    if (after === undefined) return [`- ${name}=${before}`];
    return [before === after ? `  ${name}=${after}` : `${before === undefined ? '+' : '~'} ${name}=${after}`];
  });
}
