import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { OperatorAlarm } from './constructs/operator-alarm.ts';
import type { StageSettings } from './stage.ts';

/** The table and its indexes, each of which AWS throttles and measures on its own. */
interface ThrottlingProps {
  stage: StageSettings;
  operators: ITopic;
  tableName: string;
  indexNames: readonly string[];
}

/** Adds the alarms on what AWS refuses for its limits: reads and writes of the table, and functions of the account. */
export function addThrottleAlarms(scope: Construct, { tableName, indexNames, ...props }: ThrottlingProps): void {
  for (const index of [undefined, ...indexNames])
    for (const unit of ['Read', 'Write'])
      new OperatorAlarm(scope, `${index ?? 'table'}-${unit.toLowerCase()}-throttles`, {
        ...props,
        metric: throttled('AWS/DynamoDB', `${unit}ThrottleEvents`, {
          TableName: tableName,
          ...(index && { GlobalSecondaryIndexName: index }),
        }),
        threshold: 50,
        periods: 3,
        datapoints: 2,
        impact: 'API requests are answered with 503, and campaigns and their feedback slow down.',
        action: 'Find the key that takes the most, and the team that it belongs to.',
        runbook: 'the-table-throttles',
      });
  new OperatorAlarm(scope, 'function-throttles', {
    ...props,
    // Without dimensions: of all functions of the account, since they share its limit.
    metric: throttled('AWS/Lambda', 'Throttles', {}),
    threshold: 10,
    periods: 3,
    datapoints: 2,
    impact: 'API requests are answered with 503, and campaigns slow down.',
    action: "Compare the account's concurrent executions with its limit, and ask AWS to raise it.",
    runbook: 'functions-are-throttled',
  });
}

function throttled(namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'sum', period: Duration.minutes(5) });
}
