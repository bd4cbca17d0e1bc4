import { Synthesized } from '../synthesized.ts';
import type { AlarmDefinition } from './evaluator.ts';

const prefix = 'mailwright-dev-';

/** The alarms of the stage `dev` with a canary, named without `mailwright-dev-`. */
export async function alarmsOfTemplate(): Promise<AlarmDefinition[]> {
  const app = await Synthesized.stage('dev', undefined, { canary: 'true' });
  const nameOf = (reference: unknown): string => {
    if (typeof reference === 'string') return reference;
    const { id, properties } = app.target(reference);
    return properties.FunctionName ?? properties.QueueName ?? properties.StateMachineName ?? id;
  };
  return app.all('AWS::CloudWatch::Alarm').map(({ properties: alarm }): AlarmDefinition => {
    const dimensions: { Name: string; Value: unknown }[] = alarm.Dimensions ?? [];
    return {
      name: alarm.AlarmName.replace(prefix, ''),
      namespace: alarm.Namespace,
      metric: alarm.MetricName,
      dimensions: Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, nameOf(Value)])),
      statistic: alarm.Statistic,
      periodMs: alarm.Period * 1_000,
      evaluationPeriods: alarm.EvaluationPeriods,
      datapointsToAlarm: alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods,
      threshold: alarm.Threshold,
      comparison: alarm.ComparisonOperator,
      missing: alarm.TreatMissingData,
    };
  });
}
