import { expect, test } from 'vitest';
import { type AlarmDefinition, type Datapoint, stateOf } from './evaluator.ts';

const minute = 60_000;
const now = 1_800_000_000_000;
const alarm: AlarmDefinition = {
  name: 'sample',
  namespace: 'N',
  metric: 'M',
  dimensions: { Which: 'one' },
  statistic: 'Sum',
  periodMs: minute,
  evaluationPeriods: 3,
  datapointsToAlarm: 3,
  threshold: 10,
  comparison: 'GreaterThanOrEqualToThreshold',
  missing: 'notBreaching',
};

/** Datapoints a minute apart, the last one now: `X` breaches, `0` does not, `-` is missing. */
function series(pattern: string, dimensions: Record<string, string> = alarm.dimensions): Datapoint[] {
  return [...pattern].flatMap((letter, index) => {
    const at = now - (pattern.length - 1 - index) * minute;
    return letter === '-' ? [] : [{ namespace: 'N', metric: 'M', dimensions, at, value: letter === 'X' ? 10 : 0 }];
  });
}

// From CloudWatch's documentation, "How alarm state is evaluated when data is missing".
test.each([
  ['0-X-X', 3, ['OK', 'OK', 'OK']],
  ['----0', 3, ['OK', 'OK', 'OK']],
  ['-----', 3, ['ALARM', 'OK', 'retained']],
  ['0XX-X', 3, ['ALARM', 'ALARM', 'ALARM']],
  ['--X--', 3, ['ALARM', 'OK', 'retained']],
  ['0-X-X', 2, ['ALARM', 'ALARM', 'ALARM']],
  ['00X0X', 2, ['ALARM', 'ALARM', 'ALARM']],
  ['----0', 2, ['ALARM', 'OK', 'retained']],
])('%s with %i of 3 is, where missing data is breaching, not breaching and ignored: %s', (pattern, enough, states) => {
  for (const before of ['OK', 'ALARM'] as const) {
    const found = (['breaching', 'notBreaching', 'ignore'] as const).map((missing) =>
      stateOf({ ...alarm, datapointsToAlarm: enough, missing }, series(pattern), now, before),
    );
    expect(found).toEqual(states.map((state) => (state === 'retained' ? before : state)));
  }
});

test('sums, counts, averages and takes the maximum of a period', () => {
  const [point] = series('X');
  const points = [point!, { ...point!, value: 2 }];
  const at = (statistic: AlarmDefinition['statistic'], threshold: number) =>
    stateOf({ ...alarm, statistic, threshold, evaluationPeriods: 1, datapointsToAlarm: 1 }, points, now, 'OK');
  expect([at('Sum', 12), at('Sum', 13)]).toEqual(['ALARM', 'OK']);
  expect([at('SampleCount', 2), at('SampleCount', 3)]).toEqual(['ALARM', 'OK']);
  expect([at('Average', 6), at('Average', 7)]).toEqual(['ALARM', 'OK']);
  expect([at('Maximum', 10), at('Maximum', 11)]).toEqual(['ALARM', 'OK']);
});

test('takes a metric with other dimensions for another metric', () => {
  expect(stateOf(alarm, series('XXX', { Which: 'two' }), now, 'OK')).toBe('OK');
  expect(stateOf(alarm, series('XXX', { ...alarm.dimensions, More: 'x' }), now, 'OK')).toBe('OK');
});
