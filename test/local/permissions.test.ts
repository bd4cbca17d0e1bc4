import { expect, it } from 'vitest';
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
  const may = (tags: Record<string, string>) => allows(role, 'ses:DeleteEmailIdentity', 'any', { tags: () => tags });
  expect([may({ 'made:by': 'us' }), may({ 'made:by': 'them' }), may({})]).toEqual([true, false, false]);
});

it('asks for the encryption context that a condition names', () => {
  const StringEquals = { 'kms:EncryptionContext:purpose': ['signing', 'webhooks'] };
  const { allows } = permissions([{ ...allow('kms:Decrypt', '*'), Condition: { StringEquals } }]);
  const may = (context: Record<string, string>) =>
    allows(role, 'kms:Decrypt', 'any', { encryptionContext: () => context });
  expect([may({ purpose: 'webhooks', a: 'b' }), may({ purpose: 'answers' }), may({})]).toEqual([true, false, false]);
  expect(allows(role, 'kms:Decrypt', 'any')).toBe(false);
});

it('asks for the partition keys that a condition names', () => {
  const keys = (operator: string, ...patterns: string[]) => ({ [operator]: { 'dynamodb:LeadingKeys': patterns } });
  const { allows } = permissions([
    allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem'], table),
    { ...allow('dynamodb:DeleteItem', table), Condition: keys('ForAllValues:StringLike', 'DUE#*', 'MARK#?') },
    { Effect: 'Deny', Action: '*', Resource: table, Condition: keys('ForAnyValue:StringEquals', 'PLATFORM') },
  ]);
  const may = (operation: string, ...named: string[]) =>
    allows(role, `dynamodb:${operation}`, table, { leadingKeys: () => named });
  expect([may('GetItem', 'TEAM#1'), may('GetItem', 'PLATFORM'), may('GetItem', 'PLATFORM#DOMAIN')]).toEqual([
    true,
    false,
    true,
  ]);
  expect([may('BatchGetItem', 'TEAM#1', 'TEAM#2'), may('BatchGetItem', 'TEAM#1', 'PLATFORM')]).toEqual([true, false]);
  expect([may('DeleteItem', 'DUE#1', 'MARK#2'), may('DeleteItem', 'DUE#1', 'TEAM#1')]).toEqual([true, false]);
  const unread = () => expect.unreachable('A body without the key is not parsed');
  expect(allows(role, 'dynamodb:GetItem', table, { leadingKeys: unread, holds: () => false })).toBe(true);
});

it('refuses policies that it cannot evaluate', () => {
  const conditional = { ...allow('s3:*', '*'), Condition: { Bool: { 'aws:SecureTransport': 'true' } } };
  expect(() => permissions([conditional])).toThrow('cannot evaluate Condition in the policy Role of Main');
  const unknownKey = { 'ForAllValues:StringLike': { 'dynamodb:Attributes': ['A*'] } };
  const unknownSet = { 'dynamodb:LeadingKeys': ['A#*'] };
  for (const Condition of [unknownKey, { StringLike: unknownSet }, { 'ForAnyValue:StringNotLike': unknownSet }])
    expect(() => permissions([{ ...allow('dynamodb:*', '*'), Condition }])).toThrow('cannot evaluate Condition');
  expect(() => permissions([{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }])).toThrow(
    'cannot evaluate NotAction',
  );
  expect(() => permissions([], ['arn:aws:iam::aws:policy/AdministratorAccess'])).toThrow(
    'does not know the managed policy',
  );
});
