import { expect, it } from 'vitest';
import { writesUnder } from '../../local/aws/leading-keys.ts';
import { readPermissions } from '../../local/template/permissions.ts';
import type { Template } from '../../local/template/resource.ts';
import { resolveTemplates } from '../../local/template/template.ts';

const environment = { region: 'us-east-1', accountId: '000000000000', awsEndpoint: '', apiEndpoint: '' };
const role = 'arn:aws:iam::000000000000:role/Main-Role';
const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/main';

function permissions(statements: unknown[], managed: unknown[] = []) {
  const Policies = [{ PolicyDocument: { Statement: statements } }];
  const Properties = { ManagedPolicyArns: managed, Policies };
  const body = { Resources: { Role: { Type: 'AWS::IAM::Role', Properties } } } as unknown as Template['body'];
  return readPermissions(resolveTemplates([{ stack: 'Main', body, assets: {} }], environment));
}

const allow = (Action: unknown, Resource: unknown) => ({ Effect: 'Allow', Action, Resource });

it('allows what a policy allows, and nothing else', () => {
  const { allows } = permissions([
    allow('dynamodb:GetItem', table),
    allow(['sqs:SendMessage', 'sqs:ReceiveMessage'], '*'),
  ]);
  expect(allows(role, 'dynamodb:GetItem', table)).toBe(true);
  expect(allows(role, 'dynamodb:PutItem', table)).toBe(false);
  expect(allows(role, 'dynamodb:GetItem', `${table}/index/gsi1`)).toBe(false);
  expect(allows(role, 'sqs:ReceiveMessage', 'arn:aws:sqs:us-east-1:000000000000:any')).toBe(true);
  expect(allows('arn:aws:iam::000000000000:role/other', 'sqs:ReceiveMessage', 'any')).toBe(false);
});

it('ignores case in actions but not in resources, and matches wildcards in both', () => {
  const { allows } = permissions([
    allow('DynamoDB:get*', `${table}/index/*`),
    allow('s3:?etObject', 'arn:aws:s3:::files/[a]+*'),
  ]);
  expect(allows(role, 'dynamodb:GetItem', `${table}/index/gsi1`)).toBe(true);
  expect(allows(role, 'dynamodb:GetItem', table)).toBe(false);
  expect(allows(role, 'dynamodb:GetItem', `${table.toUpperCase()}/index/gsi1`)).toBe(false);
  expect(allows(role, 's3:GetObject', 'arn:aws:s3:::files/[a]+b')).toBe(true);
  expect(allows(role, 's3:GetObject', 'arn:aws:s3:::files/aab')).toBe(false);
});

it('lets an explicit Deny win', () => {
  const { allows } = permissions([allow('*', '*'), { Effect: 'Deny', Action: 'dynamodb:Scan', Resource: '*' }]);
  expect(allows(role, 'dynamodb:Query', table)).toBe(true);
  expect(allows(role, 'dynamodb:Scan', table)).toBe(false);
});

it('asks for the tags that a condition names', () => {
  const StringEquals = { 'aws:ResourceTag/made:by': 'us' };
  const { allows } = permissions([{ ...allow('ses:DeleteEmailIdentity', '*'), Condition: { StringEquals } }]);
  const may = (tags: Record<string, string>) => allows(role, 'ses:DeleteEmailIdentity', 'any', { tagsOf: () => tags });
  expect([may({ 'made:by': 'us' }), may({ 'made:by': 'them' }), may({})]).toEqual([true, false, false]);
});

it('denies writes under partition keys that a condition names, each write of a transaction for its own action', () => {
  const Condition = { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['LOG#*'] } };
  const deny = { Effect: 'Deny', Action: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], Resource: '*', Condition };
  const { allows } = permissions([allow('dynamodb:*', table), deny]);
  const may = (action: string, body: object, kind?: string) =>
    allows(role, `dynamodb:${action}`, table, {
      writesUnder: (prefix) => writesUnder(prefix, Buffer.from(JSON.stringify(body)), kind),
    });
  const keyOf = (pk: string) => ({ pk: { S: pk }, sk: { S: 'LOG#' } });
  expect(may('UpdateItem', { Key: keyOf('LOG#1') })).toBe(false);
  expect(may('UpdateItem', { Key: keyOf('TEAM#LOG#1') })).toBe(true);
  expect(may('PutItem', { Item: keyOf('LOG#1') })).toBe(true);
  const TransactItems = [{ Put: { Item: keyOf('LOG#1') } }, { Delete: { Key: keyOf('TEAM#1') } }];
  expect(may('DeleteItem', { TransactItems }, 'Delete')).toBe(true);
  expect(may('DeleteItem', { TransactItems: [{ Delete: { Key: keyOf('LOG#1') } }] }, 'Delete')).toBe(false);
});

it('refuses policies that it cannot evaluate', () => {
  const conditional = { ...allow('s3:*', '*'), Condition: { Bool: { 'aws:SecureTransport': 'true' } } };
  expect(() => permissions([conditional])).toThrow('cannot evaluate Condition in the policy Role of Main');
  const likeKeys = (...patterns: string[]) => ({ 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': patterns } });
  for (const Condition of [likeKeys('A#*', '*#B'), { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['A#*'] } }])
    expect(() => permissions([{ ...allow('dynamodb:*', '*'), Condition }])).toThrow('cannot evaluate Condition');
  expect(() => permissions([{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }])).toThrow(
    'cannot evaluate NotAction',
  );
  expect(() => permissions([], ['arn:aws:iam::aws:policy/AdministratorAccess'])).toThrow(
    'does not know the managed policy',
  );
});
