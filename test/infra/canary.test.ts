import { expect, test } from 'vitest';
import { Synthesized } from './synthesized.ts';

const app = await Synthesized.stage('prod', undefined, { canary: 'true' });
const canary = app.all('AWS::Lambda::Function').find((lambda) => app.functionName(lambda) === 'canary')!;

test('a stage has a canary only if it is asked for', async () => {
  for (const stage of [
    await Synthesized.stage('prod'),
    await Synthesized.stage('prod', undefined, { canary: 'false' }),
  ])
    expect(stage.all('AWS::Lambda::Function').map((lambda) => stage.functionName(lambda))).not.toContain('canary');
  await expect(Synthesized.stage('prod', undefined, { canary: 'yes' })).rejects.toThrow('must be true or false');
});

test('the canary runs every five minutes, once, and may use its own item alone', () => {
  const [rule] = app.all('AWS::Events::Rule').filter(({ properties }) => properties.Name === 'mailwright-prod-canary');
  expect(rule!.properties.ScheduleExpression).toBe('rate(5 minutes)');
  expect(rule!.properties.Targets.map(({ Arn }: { Arn: unknown }) => app.target(Arn))).toEqual([canary]);
  const statements = app
    .grants()
    .get('canary')!
    .filter(({ actions }) => !actions[0]!.startsWith('logs:'));
  expect(statements).toEqual([
    {
      denies: false,
      actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      resources: [app.all('AWS::DynamoDB::Table')[0]!.id],
      condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['PLATFORM#CANARY'] } },
    },
  ]);
});

test('the dashboard shows how long its messages take', () => {
  const [dashboard] = app.all('AWS::CloudWatch::Dashboard');
  expect(app.text(dashboard!.properties.DashboardBody)).toContain(
    '"CanarySeconds","FunctionName","mailwright-prod-canary"',
  );
});
