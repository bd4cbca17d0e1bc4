/** A value that a metric had at a moment. */
export interface Datapoint {
  namespace: string;
  metric: string;
  dimensions: Record<string, string>;
  /** In milliseconds since the epoch. */
  at: number;
  value: number;
}

/** An alarm of the template, with the names of what it watches in place of references. */
export interface AlarmDefinition {
  name: string;
  namespace: string;
  metric: string;
  dimensions: Record<string, string>;
  statistic: keyof typeof statistics;
  periodMs: number;
  evaluationPeriods: number;
  datapointsToAlarm: number;
  threshold: number;
  comparison: keyof typeof comparisons;
  missing: 'breaching' | 'notBreaching' | 'ignore';
}

/** The state of an alarm. */
export type State = 'OK' | 'ALARM';

const statistics = {
  Sum: (values: number[]) => values.reduce((sum, value) => sum + value, 0),
  Maximum: (values: number[]) => Math.max(...values),
  Average: (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length,
  SampleCount: (values: number[]) => values.length,
};

const comparisons = {
  GreaterThanOrEqualToThreshold: (value: number, threshold: number) => value >= threshold,
  LessThanThreshold: (value: number, threshold: number) => value < threshold,
};

/** Periods before the evaluated ones in which CloudWatch looks for data when some is missing. */
const morePeriods = 2;

/**
 * The state of an alarm at a moment, by the rules of "Configuring how CloudWatch alarms treat missing data": the newest
 * periods with data are evaluated, also somewhat older ones; where they are too few, the rest are filled.
 */
export function stateOf(alarm: AlarmDefinition, datapoints: readonly Datapoint[], now: number, before: State): State {
  const { evaluationPeriods: wanted, datapointsToAlarm: enough, threshold, missing } = alarm;
  const compare = comparisons[alarm.comparison];
  const breaching = valuesOf(alarm, datapoints, now)
    .slice(0, wanted)
    .map((value) => compare(value, threshold))
    .filter(Boolean).length;
  const filled = Math.max(0, wanted - valuesOf(alarm, datapoints, now).length);
  if (breaching >= enough) return 'ALARM';
  if (breaching + filled < enough || missing === 'notBreaching') return 'OK';
  return missing === 'breaching' ? 'ALARM' : before;
}

/** Whether an alarm rings in any minute between two moments, up to the last, in milliseconds since the epoch. */
export function rings(alarm: AlarmDefinition, datapoints: readonly Datapoint[], from: number, to: number): boolean {
  for (let now = to; now >= from; now -= 60_000) if (stateOf(alarm, datapoints, now, 'OK') === 'ALARM') return true;
  return false;
}

/** The statistic of each period that has data, the newest first. */
function valuesOf(alarm: AlarmDefinition, datapoints: readonly Datapoint[], now: number): number[] {
  const own = datapoints.filter((point) => isOf(alarm, point));
  return Array.from({ length: alarm.evaluationPeriods + morePeriods }, (_, back) => {
    const end = now - back * alarm.periodMs;
    const values = own.filter(({ at }) => at <= end && at > end - alarm.periodMs).map(({ value }) => value);
    return values.length > 0 ? [statistics[alarm.statistic](values)] : [];
  }).flat();
}

/** Whether a datapoint belongs to the alarm's metric: a metric with other dimensions is another one. */
function isOf({ namespace, metric, dimensions }: AlarmDefinition, point: Datapoint): boolean {
  const text = (of: Record<string, string>) => JSON.stringify(Object.entries(of).sort());
  return point.namespace === namespace && point.metric === metric && text(point.dimensions) === text(dimensions);
}
