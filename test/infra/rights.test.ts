import { expect, test } from 'vitest';
import { Synthesized } from './synthesized.ts';

const app = await Synthesized.stage('dev');
const rights = app.rights();

/** Every right beyond the table and the function's own log. A function that is not here has none. */
const beyondTheTable: Record<string, string[]> = {
  campaigns: ['ses:GetAccount', 'ses:GetEmailIdentity', 'states:StartExecution'],
  'send-page': ['ses:GetAccount', 'ses:SendBulkEmail', ...consumer()],
  'apply-feedback': consumer(),
  'advance-campaign': ['ses:GetAccount', 'ses:GetEmailIdentity', 'sqs:SendMessage'],
  reconcile: ['sqs:SendMessage', 'states:DescribeExecution', 'states:StartExecution', 'states:StopExecution'],
  operate: ['ses:CreateEmailIdentity', 'ses:DeleteEmailIdentity', 'ses:GetEmailIdentity', 'states:StartExecution'],
};

function consumer(): string[] {
  return ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
}

test.each([...rights])('%s may do what it needs and no more', (name, statements) => {
  const beyond = statements.flatMap(({ actions }) => actions).filter((action) => !/^(dynamodb|logs):/.test(action));
  expect(beyond.sort()).toEqual(beyondTheTable[name]?.sort() ?? []);
});

test('lets only the send worker send mail', () => {
  const senders = [...rights].filter(([, statements]) =>
    statements.some(({ actions }) => actions.some((action) => action.startsWith('ses:Send'))),
  );
  expect(senders.map(([name]) => name)).toEqual(['send-page']);
});

test('grants no function a Scan or an action with a wildcard', () => {
  const granted = new Set([...rights.values()].flat().flatMap(({ actions }) => actions));
  expect([...granted].filter((action) => action.includes('*') || action.endsWith('Scan'))).toEqual([]);
});

test('names every resource but those that come into being at run time', () => {
  const wildcards = new Set(
    [...rights.values()]
      .flat()
      .flatMap(({ actions, resources }) => (actions.includes('ses:GetAccount') ? [] : resources))
      .filter((resource) => resource.includes('*')),
  );
  const own = 'AWS::Region:AWS::AccountId';
  expect([...wildcards].sort()).toEqual([
    `arn:AWS::Partition:ses:${own}:identity/*`,
    `arn:AWS::Partition:ses:${own}:template/*`,
    `arn:AWS::Partition:states:${own}:execution:mailwright-dev-campaign:*`,
  ]);
});

test('gives every function the table by its name and its indexes by theirs', () => {
  const [table] = app.all('AWS::DynamoDB::Table');
  for (const [name, statements] of rights) {
    const resources = statements
      .filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')))
      .flatMap((statement) => statement.resources);
    expect(resources.sort(), name).toEqual([table!.id, `${table!.id}/index/gsi1`, `${table!.id}/index/gsi2`]);
  }
});
