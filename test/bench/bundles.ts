import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildFunctions } from '../../bin/build.ts';
import { median, type Result } from './results.ts';

const run = promisify(execFile);
const kilobyte = 1024;

interface Bundle {
  name: string;
  path: string;
  bytes: number;
  /** Has clients of other services than DynamoDB. */
  sends: boolean;
}

/** The sizes of the largest bundles and the import time of the slowest, each in a new process. */
export async function measureBundles({ quick }: { quick: boolean }): Promise<Result[]> {
  const bundles = await built();
  const largest = (sends: boolean) =>
    // Only operators wait for `operate`, which has clients of all services.
    bundles
      .filter((bundle) => bundle.sends === sends && bundle.name !== 'operate')
      .reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const [plain, sending] = [largest(false), largest(true)];
  const sizes = [
    { bundle: plain, budget: 460, what: 'largest bundle that only uses the table' },
    { bundle: sending, budget: 600, what: 'largest bundle with other clients' },
  ].map(({ bundle, budget, what }) => ({
    what,
    figure: bundle.bytes / kilobyte,
    unit: 'KB',
    atMost: budget,
    details: bundle.name,
  }));
  return [...sizes, await importTime(quick ? [plain, sending] : bundles, quick ? 3 : 5)];
}

async function built(): Promise<Bundle[]> {
  const { outputs } = await buildFunctions();
  return Object.entries(outputs).map(([path, { bytes, inputs }]) => ({
    name: path.split('/').at(-2)!,
    path: resolve(path),
    bytes,
    sends: Object.keys(inputs).some((input) => /@aws-sdk\/client-(?!dynamodb)/.test(input)),
  }));
}

async function importTime(bundles: readonly Bundle[], times: number): Promise<Result> {
  const empty = await importMilliseconds('data:text/javascript,export const handler = () => {};', times);
  let worst = { name: '', milliseconds: Number.NEGATIVE_INFINITY };
  for (const { name, path } of bundles) {
    const milliseconds = (await importMilliseconds(path, times)) - empty;
    if (milliseconds > worst.milliseconds) worst = { name, milliseconds };
  }
  return {
    what: 'slowest import of a bundle, over an empty handler',
    figure: worst.milliseconds,
    unit: 'ms',
    atMost: 70,
    details: worst.name,
  };
}

async function importMilliseconds(module: string, times: number): Promise<number> {
  const path = JSON.stringify(module);
  const program = `const begun = performance.now(); await import(${path}); console.log(performance.now() - begun);`;
  const taken: number[] = [];
  for (let index = 0; index < times; index++) {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
    taken.push(Number(stdout));
  }
  return median(taken);
}
