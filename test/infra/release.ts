// Run directly (`node bin/run.mjs test/infra/release.ts`), it writes release.txt from the app as it is.
import { readFileSync, writeFileSync } from 'node:fs';
import { buildFunctions } from '../../bin/build.ts';
import { Synthesized } from './synthesized.ts';

/**
 * The resource types that hold data or have an address, with the properties whose change makes CloudFormation replace
 * a resource ("Update requires: Replacement" in its reference), and those that hold data or links beside.
 */
const kept: Record<string, string[]> = {
  'AWS::ApiGatewayV2::Api': ['Name', 'ProtocolType'],
  'AWS::ApiGatewayV2::Route': ['ApiId', 'RouteKey'],
  'AWS::ApiGatewayV2::Stage': ['ApiId', 'StageName'],
  'AWS::Athena::WorkGroup': ['Name'],
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::CloudFront::Distribution': [],
  'AWS::DynamoDB::Table': [
    'TableName',
    'KeySchema',
    'GlobalSecondaryIndexes',
    'ImportSourceSpecification',
    'TimeToLiveSpecification',
  ],
  'AWS::Events::Rule': ['Name', 'EventBusName'],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::KMS::Key': ['KeySpec', 'MultiRegion'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'StartingPosition', 'SelfManagedEventSource'],
  'AWS::Lambda::Function': ['FunctionName', 'PackageType', 'TenancyConfig'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::S3::Bucket': ['BucketName', 'BucketNamespace', 'BucketNamePrefix', 'ObjectLockEnabled'],
  'AWS::SES::ConfigurationSet': ['Name'],
  'AWS::SES::ConfigurationSetEventDestination': ['ConfigurationSetName'],
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'TopicArn'],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', 'StateMachineType'],
};

/** The types that hold nothing and that nobody addresses: CloudFormation may replace them. */
const replaceable = [
  'AWS::ApiGatewayV2::Integration',
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
  'AWS::Budgets::Budget',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::S3::BucketPolicy',
  'AWS::SecretsManager::Secret',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::WAFv2::WebACL',
];

const file = new URL('release.txt', import.meta.url);

/** The lines of the last release: what its stacks hold, and the outputs that they export. */
export const lastRelease = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

/**
 * A line per kept resource and per output of a stage, with `STAGE` for its name: stack, type, logical id, and what
 * must stay as it is. Throws for a resource of a type that is neither kept nor replaceable.
 */
export function linesOf({ stage, stacks, outputs }: Synthesized): string[] {
  const resources = Object.entries(stacks).flatMap(([stack, all]) =>
    all.flatMap(({ id, type, properties }) => {
      if (replaceable.includes(type)) return [];
      const fixed = kept[type]?.flatMap((name) => (name in properties ? [[name, properties[name]] as const] : []));
      if (!fixed) throw new Error(`${id}: may CloudFormation replace a ${type}? Say so in test/infra/release.ts.`);
      return [`${stack} ${type} ${id} ${JSON.stringify(Object.fromEntries(fixed))}`];
    }),
  );
  // CloudFormation refuses to remove or change an export that a deployed stack imports.
  const named = outputs.map(({ stack, id, exportName, value }) =>
    exportName ? `${stack} Export ${exportName} ${JSON.stringify(value)}` : `${stack} Output ${id}`,
  );
  return [...resources, ...named].map((line) => line.replaceAll(new RegExp(`(mailwright-?)${stage}`, 'g'), '$1STAGE'));
}

if (import.meta.main) {
  await buildFunctions();
  writeFileSync(
    file,
    `${linesOf(await Synthesized.stage('prod'))
      .sort()
      .join('\n')}\n`,
  );
}
