import { expect, test } from 'vitest';
import { type Resource, Synthesized } from './synthesized.ts';

const plain = await Synthesized.stage('prod');
const app = await Synthesized.stage('prod', undefined, {
  customerKey: 'true',
  backupCopyTo: 'arn:aws:backup:eu-west-1:111122223333:backup-vault:copies',
});
const [key] = app.all('AWS::KMS::Key').filter(({ id }) => id.startsWith('CustomerKey'));
const [alias] = app.all('AWS::KMS::Alias');

test('the key encrypts the table, every topic and every queue, those of other stacks by its alias', () => {
  expect(app.target(alias!.properties.TargetKeyId)).toEqual(key);
  const [table] = app.all('AWS::DynamoDB::Table');
  const { KMSMasterKeyId, ...specification } = table!.properties.SSESpecification;
  expect([specification, app.target(KMSMasterKeyId)]).toEqual([{ SSEEnabled: true, SSEType: 'KMS' }, key]);
  const topics = app.all('AWS::SNS::Topic');
  expect(topics.map(({ properties }) => app.target(properties.KmsMasterKeyId))).toEqual([key, key]);
  const queues = app.all('AWS::SQS::Queue');
  expect(queues.length).toBeGreaterThan(12);
  for (const { id, properties } of queues)
    expect(properties, id).toMatchObject({ KmsMasterKeyId: alias!.properties.AliasName, SqsManagedSseEnabled: false });
});

test('the key and its alias stay when the option or the stack goes, and the key rotates', () => {
  for (const { deletionPolicy, replacePolicy } of [key!, alias!])
    expect([deletionPolicy, replacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
  expect(key!.properties.EnableKeyRotation).toBe(true);
});

test('every service that publishes on a topic, or delivers to a queue, may use the key for that alone', () => {
  const publishers = servicesIn(app.all('AWS::SNS::TopicPolicy'));
  const statements: Statement[] = key!.properties.KeyPolicy.Statement;
  const using = statements.filter(({ Action }) => Action.includes('kms:GenerateDataKey*'));
  const [all, publish, deliver, ...others] = using;
  expect(others).toEqual([]);
  expect(all!.Condition.StringEquals).toEqual({
    'kms:CallerAccount': { Ref: 'AWS::AccountId' },
    'kms:ViaService': ['dynamodb', 'sqs', 'sns'].map((service) => ({
      'Fn::Join': ['', [`${service}.`, { Ref: 'AWS::Region' }, '.amazonaws.com']],
    })),
  });
  expect(publish!.Principal.Service).toEqual(expect.arrayContaining(publishers));
  expect(publishers).toHaveLength(5);
  const topics = publish!.Condition.StringEquals!['kms:EncryptionContext:aws:sns:topicArn'] as unknown[];
  const names = app.all('AWS::SNS::Topic').map(({ properties }) => properties.TopicName);
  expect(topics.map((arn) => app.text(arn).split(':').at(-1)).sort()).toEqual(names.sort());
  expect(servicesIn(app.all('AWS::SQS::QueuePolicy'))).toEqual(['sns.amazonaws.com']);
  expect([deliver!.Principal.Service].flat()).toEqual(['sns.amazonaws.com']);
  expect(app.text(deliver!.Condition.ArnEquals!['aws:SourceArn'])).toMatch(/:mailwright-prod-feedback$/);
});

test('no other resource changes with it, so that it may be switched on later', () => {
  const encryption = ['KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled', 'SSESpecification'];
  const others = (stage: Synthesized) =>
    ['AWS::DynamoDB::Table', 'AWS::SNS::Topic', 'AWS::SQS::Queue', 'AWS::Lambda::EventSourceMapping']
      .flatMap((type) => stage.all(type))
      .map(({ id, properties }) => [
        id,
        Object.fromEntries(Object.entries(properties).filter(([name]) => !encryption.includes(name))),
      ]);
  expect(others(app)).toEqual(others(plain));
});

interface Statement {
  Action: string | string[];
  Principal: { Service: string | string[] };
  Condition: { StringEquals?: Record<string, unknown>; ArnEquals?: Record<string, unknown> };
}

/** The services that resource policies allow something. */
function servicesIn(policies: readonly Resource[]): string[] {
  const statements = policies.flatMap(({ properties }) => properties.PolicyDocument.Statement as Statement[]);
  return [...new Set(statements.flatMap(({ Principal }) => Principal.Service ?? []))].sort();
}
