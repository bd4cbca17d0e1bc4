import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { headings } from './markdown.ts';
import { type Resource, Synthesized } from './synthesized.ts';

const app = await Synthesized.stage('dev');
const alarms = app.all('AWS::CloudWatch::Alarm');
const consumers = app.all('AWS::Lambda::EventSourceMapping').map(({ properties }) => ({
  mapping: properties,
  queue: app.target(properties.EventSourceArn),
  worker: app.target(properties.FunctionName),
}));
const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');

/** The alarms on a metric of a queue or function. */
function alarmsOn(metric: string, dimension: string, resource: Resource): Resource[] {
  return alarms.filter(
    ({ properties }) =>
      properties.MetricName === metric &&
      properties.Dimensions?.some(
        ({ Name, Value }: { Name: string; Value: unknown }) => Name === dimension && app.text(Value) === resource.id,
      ),
  );
}

test('has a consumer for every queue of work', () => {
  expect(consumers.map(({ worker }) => app.functionName(worker)).sort()).toEqual([
    'apply-feedback',
    'deliver-webhook',
    'handle-notices',
    'run-job',
    'send-page',
    'send-steps',
  ]);
});

test.each(consumers)(
  '$queue.properties.QueueName has a dead-letter queue for messages that fail five times',
  ({ queue }) => {
    const { deadLetterTargetArn, maxReceiveCount } = queue.properties.RedrivePolicy;
    expect(maxReceiveCount).toBe(5);
    const deadLetters = app.target(deadLetterTargetArn);
    expect(deadLetters.properties.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  },
);

/** Where the template sends what failed: from a queue, a subscription, a rule or a function. */
function failureTargets(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!['deadLetterTargetArn', 'DeadLetterConfig', 'OnFailure'].includes(name)) return failureTargets(inner);
    return [inner.Destination ?? inner.TargetArn ?? inner.Arn ?? inner];
  });
}

test('has an alarm for each queue that keeps what failed, as soon as it has a message', () => {
  const all = Object.values(app.stacks).flat();
  const queues = new Set(all.flatMap(({ properties }) => failureTargets(properties)).map((arn) => app.target(arn)));
  expect(queues.size).toBe(consumers.length + 1);
  for (const queue of queues)
    expect(alarmsOn('ApproximateNumberOfMessagesVisible', 'QueueName', queue), queue.id).toMatchObject([
      { properties: { Threshold: 1, ComparisonOperator: 'GreaterThanOrEqualToThreshold' } },
    ]);
});

test('keeps a minute whose work was not handed out, with its error, and tries it no longer than until the next', () => {
  const [config, ...others] = app.all('AWS::Lambda::EventInvokeConfig');
  expect(others).toEqual([]);
  const scheduled = app
    .all('AWS::Events::Rule')
    .flatMap(({ properties }) => properties.Targets.map(({ Arn }: { Arn: unknown }) => app.target(Arn)));
  expect(scheduled).toEqual([app.target(config!.properties.FunctionName)]);
  expect(config!.properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  const failures = app.target(config!.properties.DestinationConfig.OnFailure.Destination);
  expect(failures.properties.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  const [name] = scheduled.map((lambda) => app.functionName(lambda));
  const mayKeep = app
    .grants()
    .get(name!)!
    .filter(({ actions }) => actions.includes('sqs:SendMessage'));
  expect(mayKeep.flatMap(({ resources }) => resources)).toContain(failures.id);
});

test.each(consumers)(
  '$queue.properties.QueueName has a visibility timeout of six times the worker timeout at least',
  ({ queue, worker }) => {
    expect(queue.properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * worker.properties.Timeout);
  },
);

test.each(consumers)('$queue.properties.QueueName gets only the failed messages of a batch again', ({ mapping }) => {
  expect(mapping.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
});

test.each(consumers)(
  '$queue.properties.QueueName has alarms on its delay and on failing workers',
  ({ queue, worker }) => {
    expect(alarmsOn('ApproximateAgeOfOldestMessage', 'QueueName', queue)).toHaveLength(1);
    expect(alarmsOn('Errors', 'FunctionName', worker)).toHaveLength(1);
    expect(alarmsOn('Failures', 'FunctionName', worker)).toHaveLength(1);
  },
);

test('allows operators to redrive every queue', () => {
  const operate = app.all('AWS::Lambda::Function').find((lambda) => app.functionName(lambda) === 'operate')!;
  const redrives = JSON.parse(app.text(operate.properties.Environment.Variables.REDRIVES));
  const named = consumers.map(({ queue }) => [
    queue.properties.QueueName.replace('mailwright-dev-', ''),
    [app.target(queue.properties.RedrivePolicy.deadLetterTargetArn).id, queue.id],
  ]);
  expect(redrives).toEqual(Object.fromEntries(named));
});

test('has alarms on failed campaigns, API errors and sending reputation', () => {
  const metrics = alarms.map(({ properties }) => `${properties.Namespace} ${properties.MetricName}`);
  expect(metrics).toEqual(
    expect.arrayContaining([
      'AWS/States ExecutionsFailed',
      'AWS/ApiGateway 5xx',
      'AWS/SES Reputation.BounceRate',
      'AWS/SES Reputation.ComplaintRate',
    ]),
  );
});

test.each(alarms)(
  '$properties.AlarmName describes impact and action, and names a section of the runbook',
  ({ properties }) => {
    const operators = app.target(properties.AlarmActions[0]);
    expect(operators.properties.TopicName).toBe('mailwright-dev-operators');
    const [, text, section] = properties.AlarmDescription.match(/^(.*) Runbook: docs\/runbook\.md#([a-z-]+)$/) ?? [];
    expect(text?.split(/\. (?=[A-Z])/)).toHaveLength(2);
    expect(headings(runbook)).toContain(section);
  },
);
