import { Problem } from '../problem.ts';
import type { Environment, Resource, Value } from './resource.ts';

type Kind = {
  /** The property with the resource's name. @default the name is generated */
  named?: string;
  /** The ARN after `arn:aws:`, with placeholders. */
  arn: string;
  /** What Ref returns. @default name */
  ref?: 'arn' | 'url';
  /** What Fn::GetAtt returns, beside Arn. */
  attributes?: Record<string, 'name' | 'api'>;
};

const regional = '{region}:{account}';

/** The resource types that the local stack runs. */
const running: Record<string, Kind> = {
  'AWS::ApiGatewayV2::Api': { arn: `execute-api:${regional}:{name}`, attributes: { ApiEndpoint: 'api' } },
  'AWS::ApiGatewayV2::Integration': { arn: `apigateway:${regional}:{name}` },
  'AWS::ApiGatewayV2::Route': { arn: `apigateway:${regional}:{name}` },
  'AWS::Athena::WorkGroup': { named: 'Name', arn: `athena:${regional}:workgroup/{name}` },
  'AWS::CloudFront::Distribution': { arn: 'cloudfront::{account}:distribution/{name}' },
  'AWS::DynamoDB::Table': { named: 'TableName', arn: `dynamodb:${regional}:table/{name}` },
  'AWS::Events::Rule': { named: 'Name', arn: `events:${regional}:rule/{name}` },
  'AWS::IAM::Role': { arn: 'iam::{account}:role/{name}' },
  'AWS::KMS::Key': { arn: `kms:${regional}:key/{name}` },
  'AWS::Lambda::EventInvokeConfig': { arn: `lambda:${regional}:event-invoke-config:{name}` },
  'AWS::Lambda::EventSourceMapping': { arn: `lambda:${regional}:event-source-mapping:{name}` },
  'AWS::Lambda::Function': { named: 'FunctionName', arn: `lambda:${regional}:function:{name}` },
  'AWS::Lambda::Permission': { arn: `lambda:${regional}:permission:{name}` },
  'AWS::S3::Bucket': { arn: 's3:::{name}' },
  'AWS::SES::ConfigurationSet': { named: 'Name', arn: `ses:${regional}:configuration-set/{name}` },
  'AWS::SES::ConfigurationSetEventDestination': { arn: `ses:${regional}:event-destination/{name}` },
  'AWS::SecretsManager::Secret': { arn: `secretsmanager:${regional}:secret:{name}`, ref: 'arn' },
  'AWS::SNS::Subscription': { arn: `sns:${regional}:{name}`, ref: 'arn' },
  'AWS::SNS::Topic': { named: 'TopicName', arn: `sns:${regional}:{name}`, ref: 'arn' },
  'AWS::SQS::Queue': {
    named: 'QueueName',
    arn: `sqs:${regional}:{name}`,
    ref: 'url',
    attributes: { QueueName: 'name' },
  },
  'AWS::StepFunctions::StateMachine': {
    named: 'StateMachineName',
    arn: `states:${regional}:stateMachine:{name}`,
    ref: 'arn',
  },
};

/** The resource types that the local stack ignores: they only monitor, describe or protect a deployed system. */
const ignored: Record<string, Kind> = {
  'AWS::ApiGatewayV2::Stage': { arn: `apigateway:${regional}:{name}` },
  'AWS::Backup::BackupPlan': { arn: `backup:${regional}:backup-plan:{name}`, attributes: { BackupPlanId: 'name' } },
  'AWS::Backup::BackupSelection': { arn: `backup:${regional}:backup-selection:{name}` },
  'AWS::Backup::BackupVault': { named: 'BackupVaultName', arn: `backup:${regional}:backup-vault:{name}` },
  'AWS::Budgets::Budget': { arn: 'budgets::{account}:budget/{name}' },
  'AWS::CDK::Metadata': { arn: 'cdk:::{name}' },
  'AWS::CloudWatch::Alarm': { arn: `cloudwatch:${regional}:alarm:{name}` },
  'AWS::CloudWatch::Dashboard': { named: 'DashboardName', arn: 'cloudwatch::{account}:dashboard/{name}' },
  'AWS::KMS::Alias': { named: 'AliasName', arn: `kms:${regional}:{name}` },
  'AWS::Logs::LogGroup': { named: 'LogGroupName', arn: `logs:${regional}:log-group:{name}:*` },
  'AWS::S3::BucketPolicy': { arn: `s3:::{name}` },
  'AWS::SNS::TopicPolicy': { arn: `sns:${regional}:policy:{name}` },
  'AWS::SQS::QueuePolicy': { arn: `sqs:${regional}:policy:{name}` },
  'AWS::WAFv2::WebACL': { named: 'Name', arn: `wafv2:${regional}:global/webacl/{name}` },
};

const kinds: Record<string, Kind> = { ...running, ...ignored };

/** Name and ARN of a resource; throws a Problem when the local stack does not know its type. */
export function physicalName(resource: Resource, environment: Environment): { name: string; arn: string } {
  const kind = kinds[resource.type];
  if (!kind) {
    throw new Problem(
      `The local stack does not support ${resource.type} (${resource.id} in ${resource.stack}).\n` +
        'Add it to local/template/physical.ts, as ignored if nothing in the running system depends on it.',
    );
  }
  const chosen = kind.named ? resource.properties[kind.named] : undefined;
  const name = chosen ?? (resource.type === 'AWS::ApiGatewayV2::Api' ? 'local' : `${resource.stack}-${resource.id}`);
  const arn = `arn:aws:${kind.arn}`
    .replace('{region}', environment.region)
    .replace('{account}', environment.accountId)
    .replace('{name}', name);
  return { name, arn };
}

/** What `Ref` returns for a resource. */
export function reference(resource: Resource, environment: Environment): string {
  return property(resource, kinds[resource.type]?.ref ?? 'name', environment);
}

/** What `Fn::GetAtt` returns for a resource; throws a Problem when the local stack does not know the attribute. */
export function attribute(resource: Resource, name: string, environment: Environment): Value {
  const known = kinds[resource.type]?.attributes?.[name];
  if (known) return property(resource, known, environment);
  if (name === 'Arn') return resource.arn;
  throw new Problem(
    `The local stack does not know the attribute ${name} of ${resource.type} (${resource.id} in ${resource.stack}).`,
  );
}

function property(resource: Resource, which: 'arn' | 'name' | 'url' | 'api', environment: Environment): string {
  if (which === 'arn') return resource.arn;
  if (which === 'name') return resource.name;
  if (which === 'api') return environment.apiEndpoint;
  return `${environment.awsEndpoint}/${environment.accountId}/${resource.name}`;
}
