// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub
import { expect, it } from 'vitest';
import type { Surroundings, Template } from '../../local/template/resource.ts';
import { resolveTemplates } from '../../local/template/template.ts';

const surroundings: Surroundings = {
  region: 'us-east-1',
  accountId: '000000000000',
  awsEndpoint: 'http://127.0.0.1:4000',
  apiEndpoint: 'http://127.0.0.1:8787',
};

function template(Resources: Record<string, unknown>, rest: object = {}, stack = 'Main'): Template {
  return { stack, body: { Resources, ...rest } as Template['body'], assets: { abc: '/assets/abc' } };
}

/** Resolves one value, as a property of a table. */
function resolve(value: unknown, others: Record<string, unknown> = {}, rest: object = {}): unknown {
  const resources = resolveTemplates(
    [template({ Probe: { Type: 'AWS::DynamoDB::Table', Properties: { value } }, ...others }, rest)],
    surroundings,
  );
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
  expect(resolve({ 'Fn::GetAtt': 'Queue.QueueName' }, others)).toBe('orders');
  expect(resolve({ Ref: 'Topic' }, others)).toBe('arn:aws:sns:us-east-1:000000000000:Main-Topic');
  expect(resolve({ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, others)).toBe('http://127.0.0.1:8787');
  expect(resolve({ Ref: 'Work' }, others)).toBe('arn:aws:states:us-east-1:000000000000:stateMachine:work');
});

it('resolves intrinsic functions inside one another', () => {
  expect(
    resolve({ 'Fn::Join': ['/', ['a', { 'Fn::GetAtt': ['Queue', 'QueueName'] }, { Ref: 'AWS::Region' }]] }, queue),
  ).toBe('a/orders/us-east-1');
  expect(resolve({ 'Fn::Sub': '${Queue.Arn} in ${AWS::AccountId}' }, queue)).toBe(
    'arn:aws:sqs:us-east-1:000000000000:orders in 000000000000',
  );
  expect(resolve({ Ref: 'Level' }, {}, { Parameters: { Level: { Default: 'info' } } })).toBe('info');
});

it('resolves what one stack imports from another, whichever comes first', () => {
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
  const [probe] = resolveTemplates([importing, exporting], surroundings).ofType('AWS::SNS::Topic');
  expect(probe?.properties.url).toBe('http://127.0.0.1:4000/000000000000/orders');
});

it('tells resources apart that have the same logical id in two stacks', () => {
  const resources = resolveTemplates(
    [template(queue, {}, 'One'), template({ ...queue, Other: queue.Queue }, {}, 'Two')],
    surroundings,
  );
  expect(resources.all.map(({ id }) => id)).toEqual(['One.Queue', 'Two.Queue', 'Other']);
});

it('names what it does not know', () => {
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
  const resources = resolveTemplates([template(queue)], surroundings);
  expect(resources.asset('abc')).toBe('/assets/abc');
  expect(() => resources.asset('nope')).toThrow('no asset nope');
});
