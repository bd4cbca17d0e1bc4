// `npm run deploy -- [--stage NAME] [-- options of cdk deploy]` deploys a stage and prints the API's address.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { stage, options } = readArguments();
const outputsFile = join(mkdtempSync(join(tmpdir(), 'mailwright-')), 'outputs.json');
const deployment = spawnSync(
  process.execPath,
  [
    'node_modules/aws-cdk/bin/cdk',
    'deploy',
    '--all',
    '-c',
    `stage=${stage}`,
    '--outputs-file',
    outputsFile,
    ...options,
  ],
  { stdio: 'inherit' },
);
if (deployment.status !== 0) process.exit(deployment.status ?? 1);

const stacks: Record<string, Record<string, string>> = JSON.parse(readFileSync(outputsFile, 'utf8'));
const { BaseUrl } = Object.assign({}, ...Object.values(stacks));
console.log(`\nMailwright (${stage}) answers at ${BaseUrl}`);

function readArguments(): { stage: string; options: string[] } {
  try {
    const { values, positionals } = parseArgs({
      options: { stage: { type: 'string', default: 'dev' } },
      allowPositionals: true,
    });
    return { stage: values.stage, options: positionals };
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm run deploy -- [--stage NAME] [-- options of cdk deploy]`);
    process.exit(1);
  }
}
