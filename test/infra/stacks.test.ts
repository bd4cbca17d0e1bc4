import { globSync, readFileSync } from 'node:fs';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { Synthesized } from './synthesized.ts';

let exceptions: [rule: string, reason: string][] = [];
// This synthesis throws for a finding of the checks without an exception.
const dev = await Synthesized.stage('dev', (app) => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  exceptions = acknowledged(app);
});
const prod = await Synthesized.stage('prod');

function acknowledged(app: App): [string, string][] {
  return app.node
    .findAll()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY))
    .flatMap(({ data }) => Object.entries<string>(data));
}

test('passes the AwsSolutions checks, with a reason for each exception', () => {
  expect(exceptions.length).toBeGreaterThan(0);
  for (const [rule, reason] of exceptions) {
    expect(rule).toMatch(/AwsSolutions-(APIG4|SQS3|IAM5\[Resource::.+\])$/);
    expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  }
});

test('stays below 400 resources in total and 300 in each stack; the limit of a stack is 500', () => {
  const counts = Object.values(dev.stacks).map((resources) => resources.length);
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThan(400);
  expect(Math.max(...counts)).toBeLessThan(300);
});

test('keeps logs for a month, each function in a log group of its own', () => {
  const groups = dev.all('AWS::Logs::LogGroup');
  for (const { id, properties } of groups) expect(properties.RetentionInDays, id).toBe(30);
  const lambdas = dev.all('AWS::Lambda::Function');
  const used = lambdas.map(({ properties }) => dev.target(properties.LoggingConfig.LogGroup).properties.LogGroupName);
  expect(used).toEqual(lambdas.map(({ properties }) => `/aws/lambda/${properties.FunctionName}`));
});

test('runs every function on Node 24, arm64', () => {
  for (const { id, properties } of dev.all('AWS::Lambda::Function')) {
    expect(properties, id).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
  }
});

/** What holds data, the key that signs links among it, or is the address of links in messages. */
const lasting = ['ApiGatewayV2::Api', 'ApiGatewayV2::Stage', 'DynamoDB::Table', 'S3::Bucket', 'SES::ConfigurationSet'];

test('protects data and the addresses of mailed links in every stage except dev', () => {
  for (const type of lasting) {
    const [kept, deleted] = [prod, dev].map((stage) => stage.all(`AWS::${type}`));
    expect(kept!.length, type).toBeGreaterThan(0);
    // A creation that fails deletes what has a name, which the next attempt takes; a protected table it cannot delete.
    const deletionPolicy = type === 'DynamoDB::Table' ? 'Retain' : 'RetainExceptOnCreate';
    for (const resource of kept!) expect(resource).toMatchObject({ deletionPolicy, replacePolicy: 'Retain' });
    for (const resource of deleted!) expect(resource).toMatchObject({ deletionPolicy: 'Delete' });
  }
  expect(prod.all('AWS::DynamoDB::Table')).toMatchObject([
    {
      properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    },
  ]);
  expect(dev.all('AWS::DynamoDB::Table')).toMatchObject([{ properties: { DeletionProtectionEnabled: false } }]);
  expect([prod.protectedStacks, dev.protectedStacks]).toEqual([['Data', 'Pipeline', 'Api'], []]);
});

test('takes the feature flags of the CDK from cdk.json, so that a newer library changes no template', async () => {
  const flags = (context: object) => Object.entries(context).filter(([name]) => name.startsWith('@aws-cdk'));
  let used: unknown[] = [];
  await Synthesized.stage('dev', (app) => {
    used = flags(app.node.getAllContext());
  });
  expect(used.length).toBeGreaterThan(50);
  expect(used).toEqual(flags(JSON.parse(readFileSync('cdk.json', 'utf8')).context));
});

test('keeps exports private, encrypted, over TLS only, and for 30 days', () => {
  const buckets = prod.all('AWS::S3::Bucket');
  expect(buckets).toHaveLength(2);
  for (const { properties, deletionPolicy } of buckets) {
    expect(deletionPolicy).toBe('RetainExceptOnCreate');
    expect(properties.BucketEncryption).toBeDefined();
    expect(Object.values(properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
  }
  const [exports] = buckets.filter(({ id }) => id.startsWith('Exports'));
  expect(exports!.properties.LifecycleConfiguration.Rules).toMatchObject([{ ExpirationInDays: 30, Status: 'Enabled' }]);
  const refusals = prod.all('AWS::S3::BucketPolicy').map(({ properties }) => properties.PolicyDocument.Statement[0]);
  expect(refusals).toHaveLength(2);
  for (const refusal of refusals)
    expect(refusal).toMatchObject({
      Effect: 'Deny',
      Action: 's3:*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
});

/** The state machine of campaigns, of the two. */
const campaignMachine = (stage: Synthesized) =>
  stage
    .all('AWS::StepFunctions::StateMachine')
    .find(({ properties }) => properties.StateMachineName.endsWith('-campaign'))!;

const sources = { warehouseBuckets: 'acme-exports', warehouseDatabases: 'crm' };

test('passes the checks with the buckets and databases of customers, too', async () => {
  const prepare = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stage = await Synthesized.stage('dev', prepare, sources);
  const machine = campaignMachine(stage);
  const role = stage.target(machine.properties.RoleArn);
  const statements: { Action: string | string[]; Resource: unknown }[] =
    role.properties.Policies[0].PolicyDocument.Statement;
  const grants = statements
    .map(
      ({ Action, Resource }) => [[Action].flat(), [Resource].flat().map((resource) => stage.text(resource))] as const,
    )
    .filter(([actions]) => actions.some((action) => /^(athena|glue|s3):/.test(action)));
  const [exports] = stage.all('AWS::S3::Bucket').filter(({ id }) => id.startsWith('Exports'));
  const own = 'AWS::Region:AWS::AccountId';
  expect(grants.map(([actions, resources]) => [actions.map((action) => action.split(':')[0]), resources])).toEqual([
    [['athena', 'athena', 'athena'], [`arn:AWS::Partition:athena:${own}:workgroup/mailwright-dev-exports`]],
    [['athena'], [`arn:AWS::Partition:athena:${own}:datacatalog/AwsDataCatalog`]],
    [
      ['s3', 's3'],
      [exports!.id, 'arn:AWS::Partition:s3:::acme-exports'],
    ],
    [['s3', 's3', 's3', 's3'], [`${exports!.id}/queries/*`]],
    [['s3'], ['arn:AWS::Partition:s3:::acme-exports/*']],
    [
      ['glue', 'glue', 'glue', 'glue', 'glue'],
      ['catalog', 'database/crm', 'table/crm/*'].map((resource) => `arn:AWS::Partition:glue:${own}:${resource}`),
    ],
  ]);
});

test('queries warehouses in a workgroup of its own, with encrypted results in the bucket of the exports', () => {
  const [workgroup] = dev.all('AWS::Athena::WorkGroup');
  const { EnforceWorkGroupConfiguration, BytesScannedCutoffPerQuery, ResultConfiguration } =
    workgroup!.properties.WorkGroupConfiguration;
  expect([EnforceWorkGroupConfiguration, BytesScannedCutoffPerQuery]).toEqual([true, 1_000e9]);
  expect(ResultConfiguration.EncryptionConfiguration).toEqual({ EncryptionOption: 'SSE_S3' });
  expect(dev.text(ResultConfiguration.OutputLocation)).toMatch(/^s3:\/\/Exports\w+\/queries\/$/);
  const machine = campaignMachine(dev);
  const { States } = JSON.parse(dev.text(machine.properties.DefinitionString));
  expect(States['Run query']).toMatchObject({
    Resource: 'arn:AWS::Partition:states:::athena:startQueryExecution.sync',
    Parameters: {
      'QueryString.$': '$.result.query.sql',
      'ClientRequestToken.$': '$.result.query.token',
      WorkGroup: workgroup!.properties.Name,
    },
    ResultPath: '$.query',
    Next: 'Step after query',
    Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.query', Next: 'Step after query' }],
  });
});

test('names resources after the stage, so that stages can share an account', () => {
  for (const { id, properties } of Object.values(prod.stacks).flat()) {
    for (const name of [properties.FunctionName, properties.QueueName, properties.TopicName, properties.LogGroupName]) {
      if (typeof name === 'string') expect(name, id).toContain('mailwright-prod-');
    }
  }
});

test('refuses a stage that resource names cannot contain', async () => {
  await expect(Synthesized.stage('Prod_1')).rejects.toThrow('"Prod_1" cannot be a stage');
});

test('subscribes to the events of SES after acceptance, which the call itself reports', () => {
  const [destination] = dev.all('AWS::SES::ConfigurationSetEventDestination');
  const { MatchingEventTypes, SnsDestination } = destination!.properties.EventDestination;
  expect(MatchingEventTypes.toSorted()).toEqual([
    'bounce',
    'click',
    'complaint',
    'delivery',
    'deliveryDelay',
    'open',
    'reject',
    'renderingFailure',
  ]);
  const [subscription] = dev.all('AWS::SNS::Subscription');
  expect(dev.target(subscription!.properties.TopicArn)).toBe(dev.target(SnsDestination.TopicARN));
});

test('allows SES to publish feedback for this account and configuration set only', () => {
  const policies = dev.all('AWS::SNS::TopicPolicy').flatMap(({ properties }) => properties.PolicyDocument.Statement);
  const [publish] = policies.filter(({ Principal }) => Principal.Service === 'ses.amazonaws.com');
  const { 'AWS:SourceAccount': account, 'AWS:SourceArn': source } = publish.Condition.StringEquals;
  expect(dev.text(account)).toBe('AWS::AccountId');
  expect(dev.text(source)).toMatch(/:configuration-set\/Mail/);
});

test('copies the table daily to the vault that the stage names, and tells operators when that fails', async () => {
  const to = 'arn:aws-us-gov:backup:us-gov-east-1:111122223333:backup-vault:copies';
  const prepare = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stage = await Synthesized.stage('prod', prepare, { backupCopyTo: to });
  const [plan] = stage.all('AWS::Backup::BackupPlan');
  const [vault] = stage.all('AWS::Backup::BackupVault');
  const { TargetBackupVault, ...rule } = plan!.properties.BackupPlan.BackupPlanRule[0];
  expect(stage.target(TargetBackupVault)).toBe(vault);
  for (const kept of [vault!, ...stage.all('AWS::KMS::Key')])
    expect(kept).toMatchObject({ deletionPolicy: 'RetainExceptOnCreate', replacePolicy: 'Retain' });
  expect(rule).toMatchObject({
    ScheduleExpression: 'cron(0 3 * * ? *)',
    CopyActions: [{ DestinationBackupVaultArn: to, Lifecycle: { DeleteAfterDays: 35 } }],
  });
  const [selection] = stage.all('AWS::Backup::BackupSelection');
  const [table] = stage.all('AWS::DynamoDB::Table');
  expect(selection!.properties.BackupSelection.Resources.map((arn: unknown) => stage.target(arn))).toEqual([table]);
  const { SNSTopicArn, BackupVaultEvents } = vault!.properties.Notifications;
  expect(BackupVaultEvents).toContain('COPY_JOB_FAILED');
  const policies = stage
    .all('AWS::SNS::TopicPolicy')
    .filter(({ properties }) =>
      properties.Topics.some((topic: unknown) => stage.target(topic) === stage.target(SNSTopicArn)),
    );
  expect(JSON.stringify(policies)).toContain('"backup.amazonaws.com"');
  expect(prod.all('AWS::Backup::BackupPlan')).toEqual([]);
  await expect(Synthesized.stage('prod', undefined, { backupCopyTo: 'copies' })).rejects.toThrow('not the ARN');
});

test('works in every partition of AWS, such as China and GovCloud', async () => {
  const { stacks, outputs } = await Synthesized.stage('prod', undefined, {
    ...sources,
    bedrockModelId: 'amazon.nova-lite-v1:0',
  });
  expect(JSON.stringify([stacks, outputs])).not.toMatch(/arn:aws|[a-z]{2}(-gov)?-[a-z]+-\d\.amazonaws/);
  const code = globSync('{bin,functions,lib,shared}/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  expect(code.filter((text) => text.includes('arn:aws'))).toEqual([]);
});

test('limits the delivery of a message to four hours, and so the time that a recipient is unknown', () => {
  const [configurationSet] = dev.all('AWS::SES::ConfigurationSet');
  expect(configurationSet!.properties.DeliveryOptions.MaxDeliverySeconds).toBe(14_400);
});
