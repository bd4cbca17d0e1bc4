// `npm run deploy -- [--stage NAME] [--check] [--yes] [-- options of cdk deploy]`: checks the account, shows what
// changes and what it costs, and deploys a stage; with --check it ends before anything is deployed.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import type { KeptOptions } from '../lib/options.ts';
import {
  endProtection,
  operatorsTopic,
  readDeploymentFacts,
  readPlace,
  readStacks,
  readStageFacts,
  readSubscribers,
} from './account/aws.ts';
import { checkAccount } from './account/checks.ts';
import { costLines, resourcesIn, type Templates } from './account/cost.ts';
import {
  type DeploymentFacts,
  deployedOptions,
  isHalfWay,
  knownOf,
  neverCreated,
  type Place,
  type StageStacks,
} from './account/facts.ts';
import { checkStage } from './account/health.ts';
import { measuredContext, nextOptions, optionLines, splitOptions, takeProfile } from './account/options.ts';
import { ask, attended, cdk, findingLines, runCommand } from './account/terminal.ts';
import { Explained } from './local-stack.ts';

const usage = 'npm run deploy -- [--stage NAME] [--check] [--yes] [-- options of cdk deploy]';
const flags = {
  options: { stage: { type: 'string', default: 'dev' }, check: { type: 'boolean' }, yes: { type: 'boolean' } },
  allowPositionals: true,
} as const;

await runCommand(usage, flags, async ({ values: { stage, check, yes }, positionals }) => {
  const { context, others } = splitOptions(takeProfile(positionals));
  const assembly = mkdtempSync(join(tmpdir(), 'mailwright-'));
  try {
    const place = await readPlace();
    const [found, facts] = await Promise.all([readStacks(stage), readDeploymentFacts(place, stage)]);
    const failed = neverCreated(found);
    const stacks = Object.fromEntries(Object.entries(found).filter(([name]) => !failed.some((one) => one === name)));
    console.log(`Stage ${stage} in account ${place.account}, ${place.region}: ${versionIn(stacks)}`);
    const halfWay = failed.find((name) => isHalfWay(found[name]));
    if (halfWay && !others.some((one) => /^(-R|--no-rollback|--rollback=false)$/.test(one)))
      throw new Explained(halfWayText(stage, halfWay));
    const removed = failed.filter((name) => !isHalfWay(found[name]));
    for (const name of removed)
      console.log(
        `The creation of the stack ${name} failed (${found[name]!.status}): it is deleted and created again.`,
      );
    showFindings(facts);
    const options = showOptions(stacks, context);
    const counted = measuredContext(facts.concurrency, stacks.data !== undefined, options);
    synthesize(assembly, { ...context, ...counted, ...options, stage, version: ownVersion() });
    const templates = readTemplates(assembly);
    if (!stacks.data) console.log(`\nCreates ${resourcesIn(templates)} resources in ${templates.length} stacks.`);
    console.log(`\n${costLines(templates, knownOf(facts.mail)?.pricingPlan ?? 'NONE').join('\n')}`);
    if (stacks.data) cdk('diff', '--no-fail', '--app', assembly);
    if (check) return 0;
    const asked = yes || attended();
    if (asked && !yes && !/^y(es)?$/i.test(await ask('\nDeploy? (y/N)'))) return 0;
    // Where nobody was asked, the CDK refuses new permissions by itself.
    const approval = asked && !others.includes('--require-approval') ? ['--require-approval', 'never'] : [];
    await endProtection(stage, removed);
    await deploy(stage, place, '--app', assembly, ...approval, ...others);
    return 0;
  } finally {
    rmSync(assembly, { recursive: true, force: true });
  }
});

/** The CDK deletes no such stack, and a deletion would leave what is retained, whose names are then taken. */
function halfWayText(stage: string, name: string): string {
  return (
    `The creation of the stack ${name} was stopped half-way (CREATE_FAILED). Go on with what it has created, ` +
    'with the same -c options as before:\n\n' +
    `  npm run deploy -- --stage ${stage} -- --no-rollback\n\n` +
    'or roll it back, wait until its status is ROLLBACK_COMPLETE, and deploy again:\n\n' +
    `  aws cloudformation rollback-stack --retain-except-on-create --stack-name mailwright-${stage}-${name}\n`
  );
}

function versionIn({ data }: StageStacks): string {
  return data ? `deployed, version ${data.outputs.Version ?? 'unknown'}` : 'not deployed yet';
}

function showFindings(facts: DeploymentFacts): void {
  const findings = checkAccount(facts);
  console.log(`\n${findingLines(findings).join('\n')}`);
  if (findings.some(({ level }) => level === 'stop')) throw new Explained('\nNothing was deployed.');
}

/** The options of this deployment, after it has shown them. */
function showOptions(stacks: StageStacks, given: Record<string, string>): KeptOptions {
  const deployed = deployedOptions(stacks);
  const options = nextOptions(deployed ?? {}, given);
  console.log(`\nOptions (-c name=value changes one, -c name= removes it):`);
  for (const line of optionLines(deployed ?? {}, options)) console.log(`  ${line}`);
  if (stacks.data && !deployed)
    console.log('  The deployed version does not tell its options: give all of them this once.');
  return options;
}

/** What git calls this version, or the package where there is no repository. */
function ownVersion(): string {
  try {
    const described = ['describe', '--always', '--dirty'];
    return execFileSync('git', described, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return JSON.parse(readFileSync('package.json', 'utf8')).version;
  }
}

function synthesize(assembly: string, context: Record<string, string>): void {
  const pairs = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  cdk('synth', '--quiet', '--output', assembly, ...pairs);
}

function readTemplates(assembly: string): Templates {
  const files = globSync('*.template.json', { cwd: assembly });
  return files.map((file) => JSON.parse(readFileSync(join(assembly, file), 'utf8')));
}

async function deploy(stage: string, place: Place, ...options: string[]): Promise<void> {
  cdk('deploy', '--all', ...options);
  const stacks = await readStacks(stage);
  await offerSubscription(place, stage);
  console.log(`\nMailwright (${stage}) answers at ${stacks.api?.outputs.BaseUrl}\n`);
  const findings = checkStage(await readStageFacts(place, stage, stacks));
  console.log(findingLines(findings.filter(({ level }) => level !== 'fine')).join('\n'));
}

async function offerSubscription(place: Place, stage: string): Promise<void> {
  if (!attended()) return;
  const TopicArn = operatorsTopic(place, stage);
  const { confirmed, pending } = await readSubscribers(TopicArn);
  if (confirmed + pending > 0) return;
  const Endpoint = await ask('\nAlarms reach nobody yet. Whose email address gets them (empty: nobody)?');
  if (Endpoint === '') return;
  await new SNSClient({}).send(new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint }));
  console.log(`AWS asks ${Endpoint} to confirm.`);
}
