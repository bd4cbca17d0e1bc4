import { Problem } from '../problem.ts';
import type { Resource, Surroundings, Value } from './resource.ts';

type Kind = {
  /** The property that names the resource; a generated name where it is absent. */
  named?: string;
  /** The ARN after `arn:aws:`; `{name}` is filled in. Global services leave out region or account. */
  arn: string;
  /** What Ref gives; the name unless stated. */
  ref?: 'arn' | 'url';
  /** What Fn::GetAtt gives, beside Arn. */
  attributes?: Record<string, 'arn' | 'name' | 'url' | 'api'>;
};

const regional = '{region}:{account}';

/** The resource types that do something in the local stack. */
const running: Record<string, Kind> = {
  'AWS::ApiGatewayV2::Api': {
    arn: `execute-api:${regional}:{name}`,
    attributes: { ApiEndpoint: 'api', ApiId: 'name' },
  },
  'AWS::ApiGatewayV2::Integration': { arn: `apigateway:${regional}:{name}` },
  'AWS::ApiGatewayV2::Route': { arn: `apigateway:${regional}:{name}` },
  'AWS::Athena::WorkGroup': { named: 'Name', arn: `athena:${regional}:workgroup/{name}` },
  'AWS::DynamoDB::Table': { named: 'TableName', arn: `dynamodb:${regional}:table/{name}` },
  'AWS::Events::Rule': { named: 'Name', arn: `events:${regional}:rule/{name}` },
  'AWS::IAM::Role': { named: 'RoleName', arn: 'iam::{account}:role/{name}', attributes: { RoleId: 'name' } },
  'AWS::Lambda::EventSourceMapping': { arn: `lambda:${regional}:event-source-mapping:{name}` },
  'AWS::Lambda::Function': { named: 'FunctionName', arn: `lambda:${regional}:function:{name}` },
  'AWS::Lambda::Permission': { arn: `lambda:${regional}:permission:{name}` },
  'AWS::S3::Bucket': { named: 'BucketName', arn: 's3:::{name}' },
  'AWS::SES::ConfigurationSet': { named: 'Name', arn: `ses:${regional}:configuration-set/{name}` },
  'AWS::SES::ConfigurationSetEventDestination': { arn: `ses:${regional}:event-destination/{name}` },
  'AWS::SNS::Subscription': { arn: `sns:${regional}:{name}`, ref: 'arn' },
  'AWS::SNS::Topic': {
    named: 'TopicName',
    arn: `sns:${regional}:{name}`,
    ref: 'arn',
    attributes: { TopicArn: 'arn', TopicName: 'name' },
  },
  'AWS::SQS::Queue': {
    named: 'QueueName',
    arn: `sqs:${regional}:{name}`,
    ref: 'url',
    attributes: { QueueName: 'name', QueueUrl: 'url' },
  },
  'AWS::StepFunctions::StateMachine': {
    named: 'StateMachineName',
    arn: `states:${regional}:stateMachine:{name}`,
    ref: 'arn',
    attributes: { Name: 'name' },
  },
};

/** The resource types that are knowingly without effect here: they watch, describe or guard the deployed system only. */
const inert: Record<string, Kind> = {
  'AWS::ApiGatewayV2::Stage': { named: 'StageName', arn: `apigateway:${regional}:{name}` },
  'AWS::CDK::Metadata': { arn: 'cdk:::{name}' },
  'AWS::CloudWatch::Alarm': { named: 'AlarmName', arn: `cloudwatch:${regional}:alarm:{name}` },
  'AWS::Logs::LogGroup': { named: 'LogGroupName', arn: `logs:${regional}:log-group:{name}:*` },
  'AWS::S3::BucketPolicy': { arn: `s3:::{name}` },
  'AWS::SNS::TopicPolicy': { arn: `sns:${regional}:policy:{name}` },
  'AWS::SQS::QueuePolicy': { arn: `sqs:${regional}:policy:{name}` },
};

/** Name and ARN of a resource; a Problem when the local stack does not know its type. */
export function physicalName(resource: Resource, surroundings: Surroundings): { name: string; arn: string } {
  const kind = running[resource.type] ?? inert[resource.type];
  if (!kind) {
    throw new Problem(
      `The local stack does not support ${resource.type} (${resource.id} in ${resource.stack}).\nAdd it to local/template/physical.ts, as inert if nothing in the running system depends on it.`,
    );
  }
  const given = kind.named ? resource.properties[kind.named] : undefined;
  const name = given ?? (resource.type === 'AWS::ApiGatewayV2::Api' ? 'local' : `${resource.stack}-${resource.id}`);
  const arn = `arn:aws:${kind.arn}`
    .replace('{region}', surroundings.region)
    .replace('{account}', surroundings.accountId)
    .replace('{name}', name);
  return { name, arn };
}

/** What `Ref` gives for a resource. */
export function reference(resource: Resource, surroundings: Surroundings): string {
  return property(resource, (running[resource.type] ?? inert[resource.type])?.ref ?? 'name', surroundings);
}

/** What `Fn::GetAtt` gives for a resource; a Problem for an attribute the local stack does not know. */
export function attribute(resource: Resource, name: string, surroundings: Surroundings): Value {
  const known = (running[resource.type] ?? inert[resource.type])?.attributes?.[name];
  if (known) return property(resource, known, surroundings);
  if (name === 'Arn') return resource.arn;
  throw new Problem(
    `The local stack does not know the attribute ${name} of ${resource.type} (${resource.id} in ${resource.stack}).`,
  );
}

function property(resource: Resource, which: 'arn' | 'name' | 'url' | 'api', surroundings: Surroundings): string {
  if (which === 'arn') return resource.arn;
  if (which === 'name') return resource.name;
  if (which === 'api') return surroundings.apiEndpoint;
  return `${surroundings.awsEndpoint}/${surroundings.accountId}/${resource.name}`;
}
