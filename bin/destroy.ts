// `npm run destroy -- --stage NAME [--yes NAME] [-- options of cdk destroy]` says what stays and what it costs, asks
// for the stage's name, and removes its stacks.
import { endProtection, readPlace, readStacks } from './account/aws.ts';
import { takeProfile } from './account/options.ts';
import { readRemains } from './account/read-remains.ts';
import { remainLines } from './account/remains.ts';
import { ask, attended, cdk, runCommand } from './account/terminal.ts';
import { Explained } from './local-stack.ts';

const usage = 'npm run destroy -- --stage NAME [--yes NAME] [-- options of cdk destroy]';
const flags = { options: { stage: { type: 'string' }, yes: { type: 'string' } }, allowPositionals: true } as const;

await runCommand(usage, flags, async ({ values: { stage, yes }, positionals }) => {
  if (!stage) throw new Explained(`--stage must be given.\nUsage: ${usage}`);
  const others = takeProfile(positionals);
  const place = await readPlace();
  const stacks = await readStacks(stage);
  if (Object.keys(stacks).length === 0)
    throw new Explained(`There is no stage ${stage} in account ${place.account}, ${place.region}.`);
  const remains = remainLines(await readRemains(stage, stacks.data !== undefined));
  console.log(`Stage ${stage} in account ${place.account}, ${place.region} goes: its API, keys, queues and logs.`);
  console.log(stage === 'dev' ? 'All its data goes, too.' : 'Its data stays until you remove it.');
  console.log(`\n${remains.join('\n')}\n`);
  const name = yes ?? (attended() ? await ask("The stage's name, to go on:") : undefined);
  if (name !== stage) throw new Explained(`Nothing was removed: confirm with the stage's name (--yes ${stage}).`);
  await endProtection(stage, Object.keys(stacks));
  cdk('destroy', '--all', '--force', '-c', `stage=${stage}`, ...others);
  console.log(`\nThe stage ${stage} is gone.\n${remains.join('\n')}`);
  return 0;
});
