import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Explained } from '../local-stack.ts';
import type { Finding } from './checks.ts';

/** Runs a command line: prints an explained error in place of a stack trace, and the usage for wrong flags. */
export async function runCommand<T extends ParseArgsConfig>(
  usage: string,
  config: T,
  main: (given: ReturnType<typeof parseArgs<T>>) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await main(readFlags(usage, config));
  } catch (error) {
    if (!(error instanceof Explained)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

function readFlags<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Explained(`${(error as Error).message}\nUsage: ${usage}`);
  }
}

/** Runs the CDK's command line in this terminal; throws when it fails. */
export function cdk(...args: string[]): void {
  const { status } = spawnSync(process.execPath, ['node_modules/aws-cdk/bin/cdk', ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Explained(`"cdk ${args[0]}" failed.`);
}

/** Whether somebody is there to answer. */
export const attended = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Asks a question in the terminal; the answer is trimmed. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`${question} `)).trim();
  } finally {
    terminal.close();
  }
}

const marks = { stop: '✗', limit: '!', unknown: '?', fine: '✓' } as const;

/** Findings as text, each with the command that mends it below. */
export const findingLines = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ level, says, command }) => [
    `  ${marks[level]} ${says}`,
    ...(command === undefined ? [] : [`      ${command}`]),
  ]);
