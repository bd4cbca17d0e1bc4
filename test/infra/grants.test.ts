import { expect, inject, test } from 'vitest';
import { partitions } from '../../shared/data/keys.ts';
import { bundlesIn } from '../support/built.ts';
import { Synthesized } from './synthesized.ts';

const app = await Synthesized.stage('dev');
const grants = app.grants();

const consuming = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
const consumers = app
  .all('AWS::Lambda::EventSourceMapping')
  .map(({ properties }) => app.functionName(app.target(properties.FunctionName)));

/** The prefix of the actions by SDK package; `sameAction` lists operations with another name than their action. */
const prefixes: Record<string, string> = { sesv2: 'ses', sqs: 'sqs', sfn: 'states' };
const sameAction: Record<string, string> = {
  'sqs:SendMessageBatch': 'sqs:SendMessage',
  'sqs:DeleteMessageBatch': 'sqs:DeleteMessage',
};

/** What the clients call that are beside a bundle, and are loaded at first use. */
const besideBundle: Record<string, string[]> = { '@aws-sdk/client-s3': ['s3:GetObject', 's3:ListBucket'] };

/** The second action that SES checks for an operation; an identity is created with tags. */
const alsoChecked: Record<string, string> = {
  'ses:SendBulkEmail': 'ses:SendBulkTemplatedEmail',
  'ses:CreateEmailIdentity': 'ses:TagResource',
};

/** The AWS operations of each function, except the table's, that its handler can reach according to esbuild. */
const called = new Map(
  Object.entries(bundlesIn(inject('metafile'))).map(([path, { inputs, imports }]) => {
    const operations = Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => {
      const [, service, operation] = input.match(/@aws-sdk\/client-(\w+)\/.*\/commands\/(\w+)Command\.js$/) ?? [];
      if (!service || service === 'dynamodb' || bytesInOutput === 0) return [];
      const action = `${prefixes[service] ?? service}:${operation}`;
      return [sameAction[action] ?? action];
    });
    const loaded = imports.flatMap((imported) => besideBundle[imported.path] ?? []);
    return [path.split('/').at(-2)!, [...new Set([...operations, ...loaded])]];
  }),
);

test.each([...grants])('%s may call the AWS operations that its code calls, and no other', (name, statements) => {
  const granted = statements.flatMap(({ actions }) => actions).filter((action) => !/^(dynamodb|logs):/.test(action));
  const operations = called.get(name)!;
  const checked = operations.flatMap((action) => alsoChecked[action] ?? []);
  const needed = [...operations, ...checked, ...(consumers.includes(name) ? consuming : [])];
  expect(granted.sort()).toEqual(needed.sort());
});

test('grants sending only to functions that send campaigns, their tests, single messages or sequence steps', () => {
  const senders = [...grants].filter(([, statements]) =>
    statements.some(({ actions }) => actions.some((action) => action.startsWith('ses:Send'))),
  );
  expect(senders.map(([name]) => name).sort()).toEqual([
    'campaigns',
    'handle-notices',
    'send',
    'send-page',
    'send-steps',
  ]);
});

test('grants no function a Scan or an action with a wildcard', () => {
  const granted = new Set([...grants.values()].flat().flatMap(({ actions }) => actions));
  expect([...granted].filter((action) => action.includes('*') || action.endsWith('Scan'))).toEqual([]);
});

/** Of the account as a whole, which has no ARN. */
const account = ['ses:GetAccount', 'ses:GetSuppressedDestination'];

test('names every resource except those created at run time', () => {
  const wildcards = new Set(
    [...grants.values()]
      .flat()
      .flatMap(({ actions, resources }) => (actions.some((action) => account.includes(action)) ? [] : resources))
      .filter((resource) => resource.includes('*')),
  );
  const own = 'AWS::Region:AWS::AccountId';
  const [exportBucket] = app.all('AWS::S3::Bucket').filter(({ id }) => id.startsWith('Exports'));
  expect([...wildcards].sort()).toEqual([
    `${exportBucket!.id}/queries/*`,
    `${exportBucket!.id}/teams/*`,
    `arn:AWS::Partition:ses:${own}:identity/*`,
    `arn:AWS::Partition:ses:${own}:template/*`,
    `arn:AWS::Partition:states:${own}:execution:mailwright-dev-campaign:*`,
    `arn:AWS::Partition:states:${own}:execution:mailwright-dev-webhook:*`,
  ]);
});

test('grants reading exports only to import and operators, and names each bucket of a customer', async () => {
  const readers = (stage: typeof app) =>
    [...stage.grants()].flatMap(([name, statements]) => {
      const reads = statements.filter(({ actions }) => actions.some((action) => action.startsWith('s3:')));
      return reads.length > 0 ? [[name, reads.flatMap(({ resources }) => resources)] as const] : [];
    });
  expect(readers(app).map(([name]) => name)).toEqual(['advance-campaign', 'operate']);
  const named = await Synthesized.stage('dev', undefined, { warehouseBuckets: 'acme-exports, shop.unloads' });
  for (const [, resources] of readers(named))
    expect(resources.filter((resource) => resource.startsWith('arn:'))).toEqual([
      'arn:AWS::Partition:s3:::acme-exports',
      'arn:AWS::Partition:s3:::shop.unloads',
      'arn:AWS::Partition:s3:::acme-exports/*',
      'arn:AWS::Partition:s3:::shop.unloads/*',
    ]);
  await expect(Synthesized.stage('dev', undefined, { warehouseBuckets: '*' })).rejects.toThrow(
    'cannot be a name of a bucket',
  );
});

test('denies every function that writes the table to change or delete rows of the audit log', () => {
  for (const [name, statements] of grants) {
    const writes = statements.some(({ effect, actions }) => effect === 'Allow' && actions.includes('dynamodb:PutItem'));
    const denied = statements.filter(({ effect }) => effect === 'Deny');
    expect(writes && denied.length, name).toBe(1);
    const [{ actions, condition }] = denied as [(typeof denied)[0]];
    expect(actions.sort()).toEqual(['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:UpdateItem']);
    expect(condition).toEqual({ 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['AUDIT#*'] } });
    expect(partitions.auditLog(1, '2026-11')).toMatch(/^AUDIT#/);
  }
});

test('grants batch writes only to the import and to the jobs that note many marks', () => {
  const writers = [...grants].filter(([, statements]) =>
    statements.some(({ effect, actions }) => effect === 'Allow' && actions.includes('dynamodb:BatchWriteItem')),
  );
  expect(writers.map(([name]) => name).sort()).toEqual(['advance-campaign', 'run-job']);
});

test('grants every function the table and each index by name', () => {
  const [table] = app.all('AWS::DynamoDB::Table');
  for (const [name, statements] of grants) {
    const resources = statements
      .filter(({ effect, actions }) => effect === 'Allow' && actions.some((action) => action.startsWith('dynamodb:')))
      .flatMap((statement) => statement.resources);
    expect(resources.sort(), name).toEqual([table!.id, `${table!.id}/index/gsi1`, `${table!.id}/index/gsi2`]);
  }
});
