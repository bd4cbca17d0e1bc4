import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Datapoint } from './evaluator.ts';

interface Directive {
  Namespace: string;
  Dimensions: string[][];
  Metrics: { Name: string; Unit?: string }[];
}

/** What CloudWatch reads off the logs of a stack's functions: the metrics of lines in the embedded metric format. */
export function loggedMetrics(dataFolder: string): Datapoint[] {
  const files = globSync(join(dataFolder, 'logs', '*.log'));
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"_aws"'))
      .flatMap((line) => metricsOf(JSON.parse(line))),
  );
}

/** The metrics of a line; throws for one that CloudWatch would ignore, silently. */
function metricsOf({
  _aws: { Timestamp: at, CloudWatchMetrics: directives },
  ...line
}: {
  _aws: { Timestamp: number; CloudWatchMetrics: Directive[] };
  [field: string]: unknown;
}): Datapoint[] {
  if (!Number.isInteger(at)) throw new Error(`not a time in milliseconds: ${at}`);
  return directives.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, textOf(line[name], name)]));
      return Metrics.map(({ Name: metric }) => {
        const value = line[metric];
        if (typeof value !== 'number') throw new Error(`${metric} is no number in ${JSON.stringify(line)}`);
        return { namespace, metric, dimensions, at, value };
      });
    }),
  );
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`the dimension ${name} has no value`);
  return value;
}
