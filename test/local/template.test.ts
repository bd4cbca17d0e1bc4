// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub
import { expect, it } from 'vitest';
import type { Environment, Template } from '../../local/template/resource.ts';
import { resolveTemplates } from '../../local/template/template.ts';

const environment: Environment = {
  region: 'us-east-1',
  accountId: '000000000000',
  awsEndpoint: 'http://127.0.0.1:4000',
  apiEndpoint: 'http://127.0.0.1:8787',
};

function template(Resources: Record<string, unknown>, rest: object = {}, stack = 'Main'): Template {
  return { stack, body: { Resources, ...rest } as Template['body'], assets: { abc: '/assets/abc' } };
}

/** Resolves one value, as a property of a table. */
function resolve(value: unknown, others: Record<string, unknown> = {}): unknown {
  const probe = { Type: 'AWS::DynamoDB::Table', Properties: { value } };
  const resources = resolveTemplates([template({ Probe: probe, ...others })], environment);
  return resources.all.find(({ id }) => id === 'Probe')?.properties.value;
}

const queue = { Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'orders' } } };

it('resolves references and attributes to names, addresses and ARNs', () => {
  const others = {
    ...queue,
    Topic: { Type: 'AWS::SNS::Topic' },
    Api: { Type: 'AWS::ApiGatewayV2::Api' },
    Work: { Type: 'AWS::StepFunctions::StateMachine', Properties: { StateMachineName: 'work' } },
  };
  expect(resolve({ Ref: 'Queue' }, others)).toBe('http://127.0.0.1:4000/000000000000/orders');
  expect(resolve({ 'Fn::GetAtt': ['Queue', 'Arn'] }, others)).toBe('arn:aws:sqs:us-east-1:000000000000:orders');
  expect(resolve({ 'Fn::GetAtt': ['Queue', 'QueueName'] }, others)).toBe('orders');
  expect(resolve({ Ref: 'Topic' }, others)).toBe('arn:aws:sns:us-east-1:000000000000:Main-Topic');
  expect(resolve({ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, others)).toBe('http://127.0.0.1:8787');
  expect(resolve({ Ref: 'Work' }, others)).toBe('arn:aws:states:us-east-1:000000000000:stateMachine:work');
});

it('resolves nested intrinsic functions', () => {
  expect(
    resolve({ 'Fn::Join': ['/', ['a', { 'Fn::GetAtt': ['Queue', 'QueueName'] }, { Ref: 'AWS::Region' }]] }, queue),
  ).toBe('a/orders/us-east-1');
  expect(resolve({ 'Fn::Sub': 'assets-${AWS::AccountId}-${AWS::Region}' })).toBe('assets-000000000000-us-east-1');
});

it('gives a secret one value wherever it is referred to', () => {
  const secrets = { One: { Type: 'AWS::SecretsManager::Secret' }, Two: { Type: 'AWS::SecretsManager::Secret' } };
  const of = (id: string) => ({ 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:::}}']] });
  const [first, again, second] = resolve([of('One'), of('One'), of('Two')], secrets) as string[];
  expect(first).toMatch(/^\w{64}$/);
  expect([again === first, second === first]).toEqual([true, false]);
});

it('resolves an import from another stack, in either order of the stacks', () => {
  const exporting = template(
    queue,
    { Outputs: { Out: { Value: { Ref: 'Queue' }, Export: { Name: 'Data:Queue' } } } },
    'Data',
  );
  const importing = template(
    { Probe: { Type: 'AWS::SNS::Topic', Properties: { url: { 'Fn::ImportValue': 'Data:Queue' } } } },
    {},
    'Api',
  );
  const [probe] = resolveTemplates([importing, exporting], environment).ofType('AWS::SNS::Topic');
  expect(probe?.properties.url).toBe('http://127.0.0.1:4000/000000000000/orders');
});

it('prefixes a logical id with its stack where two stacks use the same one', () => {
  const resources = resolveTemplates(
    [template(queue, {}, 'One'), template({ ...queue, Other: queue.Queue }, {}, 'Two')],
    environment,
  );
  expect(resources.all.map(({ id }) => id)).toEqual(['One.Queue', 'Two.Queue', 'Other']);
});

it('names the part of a template that it does not support', () => {
  expect(() => resolve(1, { Cache: { Type: 'AWS::ElastiCache::CacheCluster' } })).toThrow(
    'does not support AWS::ElastiCache::CacheCluster (Cache in Main)',
  );
  expect(() => resolve({ 'Fn::GetAtt': ['Queue', 'Colour'] }, queue)).toThrow(
    'the attribute Colour of AWS::SQS::Queue (Queue in Main)',
  );
  expect(() => resolve({ Ref: 'Nothing' })).toThrow('refers to Nothing, which it does not define');
  expect(() => resolve({ 'Fn::Cidr': ['10.0.0.0/16', 1, 8] })).toThrow('does not know the intrinsic function Fn::Cidr');
  expect(() => resolve({ 'Fn::ImportValue': 'gone' })).toThrow('No stack exports gone');
  expect(() => resolve({ Ref: 'Probe' })).toThrow('a circle of references through Probe');
});

it('finds the folder of an asset', () => {
  const resources = resolveTemplates([template(queue)], environment);
  expect(resources.asset('abc')).toBe('/assets/abc');
  expect(() => resources.asset('nope')).toThrow('no asset nope');
});
