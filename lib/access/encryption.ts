import { Aspects, CfnResource, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { arnOf } from '../grants.ts';
import { resourceName, type StageSettings } from '../stage.ts';

/** Encrypts the table and every queue and topic of the app with a KMS key in the account; all of it in place. */
export function encryptWithCustomerKey(data: Stack, stage: StageSettings): void {
  // Without the option it stays: queues need it until they are deployed without, and backups as long as they are kept.
  const removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
  const key = new Key(data, 'CustomerKey', { enableKeyRotation: true, removalPolicy });
  const alias = `alias/${resourceName(stage, 'data')}`;
  key.addAlias(alias).applyRemovalPolicy(removalPolicy);
  for (const statement of [throughServices(data), describeKey(), publish(stage), deliverFeedback(stage)])
    key.addToResourcePolicy(statement);
  Aspects.of(data.node.root).add({
    visit(resource) {
      // Other stacks name the key by its alias: an export would have to stay when the option is gone.
      if (CfnResource.isCfnResource(resource)) encrypt(resource, resource.stack === data ? key.keyArn : alias);
    },
  });
}

function encrypt(resource: CfnResource, keyId: string): void {
  if (resource instanceof CfnTable)
    resource.sseSpecification = { sseEnabled: true, sseType: 'KMS', kmsMasterKeyId: keyId };
  if (resource instanceof CfnTopic) resource.kmsMasterKeyId = keyId;
  if (resource instanceof CfnQueue) {
    resource.sqsManagedSseEnabled = false;
    resource.kmsMasterKeyId = keyId;
    // Each caller of a queue asks KMS once in this time.
    resource.kmsDataKeyReusePeriodSeconds = Duration.hours(1).toSeconds();
  }
}

/** As AWS's own keys for these services have it: whoever may use the table or a queue may use the key through it. */
function throughServices({ account, region }: Stack): PolicyStatement {
  const services = ['dynamodb', 'sqs', 'sns'].map((service) => `${service}.${region}.amazonaws.com`);
  return new PolicyStatement({
    principals: [new AnyPrincipal()],
    actions: ['Encrypt', 'Decrypt', 'ReEncrypt*', 'GenerateDataKey*', 'CreateGrant', 'DescribeKey'].map(kms),
    resources: ['*'],
    conditions: { StringEquals: { 'kms:CallerAccount': account, 'kms:ViaService': services } },
  });
}

function describeKey(): PolicyStatement {
  const actions = ['Describe*', 'Get*', 'List*'].map(kms);
  return new PolicyStatement({ principals: services('dynamodb'), actions, resources: ['*'] });
}

/** AWS services publish on the topics in their own name. The account of the source is not told for all of them. */
function publish(stage: StageSettings): PolicyStatement {
  const topics = ['feedback', 'operators'].map((name) => topicArn(stage, name));
  return new PolicyStatement({
    principals: services('ses', 'cloudwatch', 'budgets', 'events', 'backup'),
    actions: ['GenerateDataKey*', 'Decrypt'].map(kms),
    resources: ['*'],
    conditions: { StringEquals: { 'kms:EncryptionContext:aws:sns:topicArn': topics } },
  });
}

function deliverFeedback(stage: StageSettings): PolicyStatement {
  return new PolicyStatement({
    principals: services('sns'),
    actions: ['GenerateDataKey*', 'Decrypt'].map(kms),
    resources: ['*'],
    conditions: { ArnEquals: { 'aws:SourceArn': topicArn(stage, 'feedback') } },
  });
}

const kms = (action: string): string => `kms:${action}`;
const services = (...names: string[]) => names.map((name) => new ServicePrincipal(`${name}.amazonaws.com`));
/** Named, not referred to: the topics need the key first. */
const topicArn = (stage: StageSettings, name: string): string => arnOf(`sns:${resourceName(stage, name)}`);
