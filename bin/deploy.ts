// `npm run deploy -- --stage NAME [-- options of cdk deploy]` deploys all stacks of a stage and prints where its API answers.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { stage: { type: 'string', default: 'dev' } },
  allowPositionals: true,
});
const outputsFile = join(mkdtempSync(join(tmpdir(), 'mailwright-')), 'outputs.json');
const deployment = spawnSync(
  process.execPath,
  [
    'node_modules/aws-cdk/bin/cdk',
    'deploy',
    '--all',
    ...['-c', `stage=${values.stage}`],
    ...['--outputs-file', outputsFile],
    ...positionals,
  ],
  { stdio: 'inherit' },
);
if (deployment.status !== 0) process.exit(deployment.status ?? 1);

const stacks: Record<string, Record<string, string>> = JSON.parse(readFileSync(outputsFile, 'utf8'));
const { BaseUrl } = Object.assign({}, ...Object.values(stacks));
console.log(`\nMailwright (${values.stage}) answers at ${BaseUrl}`);
