import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, inject, test } from 'vitest';
import { namedPartitions } from '../../lib/access/table-grants.ts';
import { keys, partitions } from '../../shared/data/keys.ts';
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
  const allowed = statements.filter(({ denies }) => !denies);
  const granted = allowed.flatMap(({ actions }) => actions).filter((action) => !/^(dynamodb|logs):/.test(action));
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
  const allowed = [...grants.values()].flat().filter(({ denies }) => !denies);
  const granted = new Set(allowed.flatMap(({ actions }) => actions));
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

const ofAuditLog = { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['AUDIT#*'] } };

test('denies every function that writes the table to change or delete rows of the audit log', () => {
  for (const [name, statements] of grants) {
    const writes = statements.some(({ denies, actions }) => !denies && actions.includes('dynamodb:PutItem'));
    const denied = statements.filter(({ denies, condition }) => denies && isDeepStrictEqual(condition, ofAuditLog));
    expect(writes && denied.length, name).toBe(1);
    expect(denied[0]!.actions.sort()).toEqual([
      'dynamodb:BatchWriteItem',
      'dynamodb:DeleteItem',
      'dynamodb:UpdateItem',
    ]);
    expect(partitions.auditLog(1, '2026-11')).toMatch(/^AUDIT#/);
  }
});

test('grants batch writes only to the import and to the jobs that note many marks', () => {
  const writers = [...grants].filter(([, statements]) =>
    statements.some(({ denies, actions }) => !denies && actions.includes('dynamodb:BatchWriteItem')),
  );
  expect(writers.map(([name]) => name).sort()).toEqual(['advance-campaign', 'run-job']);
});

const bundles = new Map(
  Object.entries(bundlesIn(inject('metafile'))).map(([path, bundle]) => [path.split('/').at(-2)!, { path, ...bundle }]),
);

/** Whether more than so many bytes of a file are in a function's bundle. */
const has = (name: string, file: string, bytes = 0) =>
  Object.entries(bundles.get(name)!.inputs).some(
    ([path, { bytesInOutput }]) => path.endsWith(file) && bytesInOutput > bytes,
  );

/** A deletion in a transaction, which is not the description of one in the SDK. */
const deletion = /\bDelete:\{(?!Key:([\w$]+),ExpressionAttributeValues:\1\})/;

test('names the partitions of the table as the code does', () => {
  expect(namedPartitions).toEqual({
    platform: keys.signingKey().pk,
    domainTree: partitions.domainTree,
    canary: keys.canary().pk,
    jobs: partitions.due(0).replace(/0$/, '*'),
  });
});

test('keeps the signing key from every function that has no use for the partition that it is in', () => {
  const using = ['signing-key.ts', 'account-limits.ts', 'send-rate.ts'];
  // A file of which nothing is used leaves its constants in the bundle.
  const idle = [...grants.keys()].filter((name) => !using.some((file) => has(name, `/${file}`, 100)));
  const condition = { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': ['PLATFORM'] } };
  const denied = [...grants].filter(([, statements]) =>
    statements.some((statement) => statement.denies && isDeepStrictEqual(statement.condition, condition)),
  );
  expect(denied.map(([name]) => name).sort()).toEqual(idle.sort());
  expect(idle).toEqual(expect.arrayContaining(['ai', 'api-keys', 'lists', 'reconcile', 'templates', 'webhooks']));
});

test('lets a function unwrap the data keys of the secrets that its code opens, and of no others', () => {
  const files = { signing: '/signing-key.ts', webhooks: '/webhooks/secrets.ts', answers: '/sealed-answers.ts' };
  for (const [name, statements] of grants) {
    const opened = Object.entries(files).filter(([, file]) => has(name, file, file === files.signing ? 100 : 0));
    const purposes = statements
      .filter(({ actions }) => actions.includes('kms:Decrypt'))
      .map(({ condition, resources }) => {
        expect(resources).toEqual([app.all('AWS::KMS::Key')[0]!.id]);
        return condition?.StringEquals?.['kms:EncryptionContext:purpose'];
      });
    expect(purposes.flat().toSorted(), name).toEqual(opened.map(([purpose]) => purpose).toSorted());
  }
});

test('lets only operators and the schedule make data keys, and nobody see one that is made', () => {
  const making = [...grants].filter(([, statements]) =>
    statements.some(({ actions }) => actions.some((action) => action.startsWith('kms:Generate'))),
  );
  expect(making.map(([name]) => name).sort()).toEqual(['operate', 'reconcile']);
  const all = [...grants.values()].flat().flatMap(({ actions }) => actions);
  const used = new Set(all.filter((action) => action.startsWith('kms:')));
  expect([...used].sort()).toEqual(['kms:Decrypt', 'kms:GenerateDataKeyWithoutPlaintext']);
});

test('grants deletions only to functions whose code deletes, and to those that finish jobs no other', () => {
  const deleting = [...grants.keys()].filter(
    (name) =>
      has(name, 'commands/DeleteItemCommand.js') || deletion.test(readFileSync(bundles.get(name)!.path, 'utf8')),
  );
  const granted = [...grants].flatMap(([name, statements]) =>
    statements
      .filter(({ denies, actions }) => !denies && actions.includes('dynamodb:DeleteItem'))
      .map(({ condition }) => ({ name, of: condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] })),
  );
  expect(granted.map(({ name }) => name).sort()).toEqual(deleting.sort());
  const ofJobs = granted.filter(({ of }) => of !== undefined);
  expect(ofJobs.map(({ name }) => name).sort()).toEqual([
    'advance-campaign',
    'api-keys',
    'send',
    'send-page',
    'send-steps',
  ]);
  // One at a time: what IAM makes of the other keys of a transaction does not matter.
  for (const { name } of ofJobs) expect(readFileSync(bundles.get(name)!.path, 'utf8')).not.toMatch(deletion);
  expect(new Set(ofJobs.flatMap(({ of }) => of))).toEqual(new Set(['DUE#*', 'PLATFORM#DOMAIN_TREE']));
});

test('grants every function the table and each index by name', () => {
  const [table] = app.all('AWS::DynamoDB::Table');
  for (const [name, statements] of grants) {
    const resources = statements
      .filter(
        ({ denies, condition, actions }) =>
          !denies && !condition && actions.some((action) => action.startsWith('dynamodb:')),
      )
      .flatMap((statement) => statement.resources);
    expect(resources.sort(), name).toEqual([table!.id, `${table!.id}/index/gsi1`, `${table!.id}/index/gsi2`]);
  }
});
