// `npm run destroy -- --stage NAME [--yes NAME] [-- options of cdk destroy]` says what stays and what it costs, asks
// for the stage's name, and removes its stacks.
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readDomains, readPlace, readStacks } from './account/aws.ts';
import type { StageStacks } from './account/facts.ts';
import { takeProfile } from './account/options.ts';
import { type Remains, remainLines } from './account/remains.ts';
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
  const remains = remainLines(await readRemains(stage, stacks));
  console.log(`Stage ${stage} in account ${place.account}, ${place.region} goes: its API, keys, queues and logs.`);
  console.log(stage === 'dev' ? 'All its data goes, too.' : 'Its data stays until you remove it.');
  console.log(`\n${remains.join('\n')}\n`);
  const name = yes ?? (attended() ? await ask("The stage's name, to go on:") : undefined);
  if (name !== stage) throw new Explained(`Nothing was removed: confirm with the stage's name (--yes ${stage}).`);
  for (const name of Object.keys(stacks)) {
    const StackName = `mailwright-${stage}-${name}`;
    await new CloudFormationClient({}).send(
      new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }),
    );
  }
  cdk('destroy', '--all', '--force', '-c', `stage=${stage}`, ...others);
  console.log(`\nThe stage ${stage} is gone.\n${remains.join('\n')}`);
  return 0;
});

async function readRemains(stage: string, stacks: StageStacks): Promise<Remains> {
  const domains = (await readDomains()).map(({ name }) => name);
  const none = { buckets: [], apis: [], configurationSets: [], domains };
  if (stage === 'dev' || !stacks.data) return none;
  const { StackResources = [] } = await new CloudFormationClient({}).send(
    new DescribeStackResourcesCommand({ StackName: `mailwright-${stage}-data` }),
  );
  const named = (type: string) =>
    StackResources.filter(({ ResourceType }) => ResourceType === type).map(
      ({ PhysicalResourceId = '' }) => PhysicalResourceId,
    );
  const [TableName] = named('AWS::DynamoDB::Table');
  const others = {
    buckets: named('AWS::S3::Bucket'),
    apis: named('AWS::ApiGatewayV2::Api'),
    configurationSets: named('AWS::SES::ConfigurationSet'),
    domains,
  };
  if (TableName === undefined) return others;
  const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName }));
  const table = { name: TableName, items: Table?.ItemCount ?? 0, bytes: Table?.TableSizeBytes ?? 0 };
  return { table, ...others };
}
