import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { stageFromContext } from '../../lib/stage.ts';
import { Synthesized } from './synthesized.ts';

const app = await Synthesized.stage('dev');
const [dashboard] = app.all('AWS::CloudWatch::Dashboard');
const { widgets } = JSON.parse(app.text(dashboard!.properties.DashboardBody)) as { widgets: Widget[] };

interface Widget {
  properties: { title: string; metrics?: unknown[][]; query?: string };
}

/** What the graphs show: namespace, metric and dimensions of each line. */
const shown = widgets.flatMap(({ properties: { metrics = [] } }) =>
  metrics.map((line) => line.filter((part) => typeof part === 'string').join(' ')),
);
const functions = app.all('AWS::Lambda::Function').map(({ properties }) => properties.FunctionName);
const queues = app
  .all('AWS::SQS::Queue')
  .flatMap(({ properties }) => (properties.RedrivePolicy ? [properties.QueueName] : []));
const [table] = app.all('AWS::DynamoDB::Table');

test('shows what becomes of mail', () => {
  const mail = ['Send', 'Delivery', 'Bounce', 'Complaint'].map((name) => `AWS/SES ${name}`);
  expect(shown).toEqual(expect.arrayContaining(mail));
});

test('shows the age of the oldest message of every queue, and of the oldest due job and page', () => {
  const ages = queues.map((name) => `AWS/SQS ApproximateAgeOfOldestMessage QueueName ${name}`);
  expect(ages).toHaveLength(6);
  expect(shown).toEqual(expect.arrayContaining(ages));
  expect(shown).toContain('Mailwright OldestDueJobAge FunctionName mailwright-dev-reconcile');
  expect(shown).toContain('Mailwright OldestDuePageAge FunctionName mailwright-dev-run-job');
});

test('shows errors, failures and duration of every function', () => {
  for (const metric of ['AWS/Lambda Errors', 'AWS/Lambda Duration', 'Mailwright Failures'])
    expect(shown).toEqual(expect.arrayContaining(functions.map((name) => `${metric} FunctionName ${name}`)));
});

test('shows throttles and consumed capacity of the table and each index, and state transitions', () => {
  for (const unit of ['Read', 'Write'])
    for (const metric of [`${unit}ThrottleEvents`, `Consumed${unit}CapacityUnits`]) {
      const ofTable = shown.filter((line) => line.startsWith(`AWS/DynamoDB ${metric} `));
      expect(ofTable.filter((line) => line.endsWith(`TableName ${table!.id}`))).toHaveLength(3);
    }
  expect(shown).toContain('AWS/Lambda Throttles');
  expect(shown).toContain('AWS/States ConsumedCapacity ServiceMetric StateTransition');
});

test('counts the top teams in log groups that exist', () => {
  const groups = app.all('AWS::Logs::LogGroup').map(({ properties }) => properties.LogGroupName);
  const queries = widgets.flatMap(({ properties: { query } }) => query ?? []);
  expect(queries).toHaveLength(2);
  for (const query of queries) {
    const sources = [...query.matchAll(/SOURCE '([^']+)'/g)].map(([, source]) => source);
    expect(sources.length).toBeGreaterThan(1);
    expect(groups).toEqual(expect.arrayContaining(sources));
    expect(query).toMatch(/by team_id.*limit 10/s);
  }
});

test('tells the operators when 80% of the budget is spent, and when more than all of it is expected', () => {
  const [operators] = app.all('AWS::SNS::Topic').filter(({ id }) => id.startsWith('Operators'));
  const [budget] = app.all('AWS::Budgets::Budget');
  const properties: Budget = budget!.properties;
  expect(properties.Budget.BudgetLimit).toEqual({ Amount: 100, Unit: 'USD' });
  const told = properties.NotificationsWithSubscribers.map(({ Notification, Subscribers: [subscriber] }) => [
    `${Notification.NotificationType} ${Notification.ComparisonOperator} ${Notification.Threshold}`,
    app.target(subscriber!.Address).id,
  ]);
  expect(told).toEqual([
    ['ACTUAL GREATER_THAN 80', operators!.id],
    ['FORECASTED GREATER_THAN 100', operators!.id],
  ]);
});

test.each(['0', '-5', 'much'])('takes the budget from the context, and refuses %s', (monthlyBudget) => {
  const stage = (context: object) => stageFromContext(new App({ context }));
  expect(stage({ monthlyBudget: '2500' }).monthlyBudget).toBe(2_500);
  expect(() => stage({ monthlyBudget })).toThrow('cannot be a budget');
});

test("lets alarms and budgets of this account alone publish on the operators' topic", () => {
  const [policy] = app.all('AWS::SNS::TopicPolicy').filter(({ id }) => id.startsWith('Operators'));
  const publish = policy!.properties.PolicyDocument.Statement.filter(
    ({ Effect, Action }: Record<string, string>) => Effect === 'Allow' && Action === 'sns:Publish',
  );
  expect(publish).toMatchObject([
    {
      Principal: { Service: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
});

test('traces no function (docs/decisions/tracing.md)', () => {
  for (const { properties } of app.all('AWS::Lambda::Function')) expect(properties.TracingConfig).toBeUndefined();
});

interface Budget {
  Budget: { BudgetLimit: { Amount: number; Unit: string } };
  NotificationsWithSubscribers: {
    Notification: { NotificationType: string; ComparisonOperator: string; Threshold: number };
    Subscribers: { Address: unknown }[];
  }[];
}
