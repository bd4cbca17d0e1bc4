import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IWidget, LogQueryWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { StateTransitionMetric } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { ServiceFunction } from './constructs/service-function.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** What a stage's dashboard shows. */
interface DashboardProps {
  stage: StageSettings;
  tableName: string;
  indexNames: readonly string[];
  /** Where the workers and queues are. */
  pipeline: Construct;
}

const period = Duration.minutes(5);
const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}, label = metricName) =>
  new Metric({ namespace, metricName, dimensionsMap, label, statistic: 'sum', period });

/** Adds the stage's dashboard: mail, delays, errors, throttles, what costs money, and the teams that cause the most. */
export function addDashboard(api: Construct, props: DashboardProps): void {
  const { stage, pipeline } = props;
  const [workers, endpoints] = [namesOf(pipeline, ServiceFunction), namesOf(api, ServiceFunction)];
  const functions = [...workers, ...endpoints];
  new Dashboard(api, 'Dashboard', {
    dashboardName: resourceName(stage, 'overview'),
    widgets: [
      [
        graph(
          'Mail of the account',
          ['Send', 'Delivery', 'Bounce', 'Complaint'].map((name) => sum('AWS/SES', name)),
        ),
        graph('Age of the oldest, in seconds', ages(stage, namesOf(pipeline, WorkQueue))),
        topTeams(stage, 'emails', ['send-page', 'send-steps'], 'messages sent', 'sum(emails)'),
      ],
      [
        graph('Failures in the logs', ofFunctions(stage, 'Mailwright', 'Failures', functions)),
        graph('Invocations that failed', ofFunctions(stage, 'AWS/Lambda', 'Errors', functions)),
        graph('Throttles', [...ofTable(props, 'ThrottleEvents'), sum('AWS/Lambda', 'Throttles')]),
      ],
      [
        graph('Read and write units', ofTable(props, 'CapacityUnits', 'Consumed')),
        graph('Time of functions, in milliseconds', ofFunctions(stage, 'AWS/Lambda', 'Duration', functions)),
        graph('State transitions of the account', [
          StateTransitionMetric.metricConsumedCapacity({ statistic: 'sum', period }),
        ]),
      ],
      [topTeams(stage, 'requests', endpoints, 'request', 'count(*)')],
    ],
  });
}

/** By name, since a reference to another stack would be one more export that must stay. */
const namesOf = (within: Construct, kind: typeof ServiceFunction | typeof WorkQueue): string[] =>
  within.node.findAll().flatMap((part) => (part instanceof kind ? [part.node.id] : []));

const graph = (title: string, left: Metric[]): IWidget => new GraphWidget({ title, left, width: 8 });

const ofFunctions = (stage: StageSettings, namespace: string, metric: string, names: readonly string[]): Metric[] =>
  names.map((name) => sum(namespace, metric, { FunctionName: resourceName(stage, name) }, name));

/** A metric of reads and one of writes, of the table and of each index. */
const ofTable = ({ tableName, indexNames }: DashboardProps, metric: string, prefix = ''): Metric[] =>
  ['Read', 'Write'].flatMap((unit) => [
    sum('AWS/DynamoDB', `${prefix}${unit}${metric}`, { TableName: tableName }, `table ${unit}`),
    ...indexNames.map((name) => {
      const dimensions = { TableName: tableName, GlobalSecondaryIndexName: name };
      return sum('AWS/DynamoDB', `${prefix}${unit}${metric}`, dimensions, `${name} ${unit}`);
    }),
  ]);

function ages(stage: StageSettings, queues: readonly string[]): Metric[] {
  const ofQueues = queues.map((name) =>
    sum('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: resourceName(stage, name) }, `message of ${name}`),
  );
  const [job] = ofFunctions(stage, 'Mailwright', 'OldestDueJobAge', ['reconcile']);
  const [page] = ofFunctions(stage, 'Mailwright', 'OldestDuePageAge', ['run-job']);
  const ours = [job!.with({ label: 'due job' }), page!.with({ label: 'due page' })];
  const [message] = ofFunctions(stage, 'Mailwright', 'CanarySeconds', ['canary']);
  if (stage.canary) ours.push(message!.with({ label: "canary's message until it was delivered" }));
  return [...ofQueues, ...ours].map((metric) => metric.with({ statistic: 'max' }));
}

/** The ten teams with the most, counted from the structured logs while somebody looks (docs/decisions/alarms.md). */
function topTeams(stage: StageSettings, what: string, functions: readonly string[], line: string, count: string) {
  return new LogQueryWidget({
    title: `Teams with the most ${what}`,
    logGroupNames: functions.map((name) => `/aws/lambda/${resourceName(stage, name)}`),
    queryLines: [
      `filter message = "${line}" and ispresent(team_id)`,
      `stats ${count} as ${what} by team_id`,
      `sort ${what} desc`,
      'limit 10',
    ],
    width: 8,
  });
}
