// `npm run status -- [--stage NAME]` says what of a deployed stage is healthy and what is missing; it ends with 1 when
// something stops mail or keeps alarms from operators.
import { readPlace, readStacks, readStageFacts } from './account/aws.ts';
import { deployedOptions } from './account/facts.ts';
import { checkStage } from './account/health.ts';
import { optionLines } from './account/options.ts';
import { findingLines, runCommand } from './account/terminal.ts';
import { Explained } from './local-stack.ts';

const flags = { options: { stage: { type: 'string', default: 'dev' } } } as const;

await runCommand('npm run status -- [--stage NAME]', flags, async ({ values: { stage } }) => {
  const place = await readPlace();
  const stacks = await readStacks(stage);
  if (Object.keys(stacks).length === 0)
    throw new Explained(`There is no stage ${stage} in account ${place.account}, ${place.region}.`);
  console.log(`Stage ${stage} in account ${place.account}, ${place.region}`);
  console.log(`  Version  ${stacks.data?.outputs.Version ?? 'unknown'}`);
  console.log(`  API      ${stacks.api?.outputs.BaseUrl ?? 'not there'}`);
  const options = deployedOptions(stacks) ?? {};
  for (const line of optionLines(options, options)) console.log(`  Option ${line}`);
  const findings = checkStage(await readStageFacts(place, stage, stacks));
  console.log(`\n${findingLines(findings).join('\n')}`);
  return findings.some(({ level }) => level === 'stop') ? 1 : 0;
});
