import { createHash } from 'node:crypto';
import { Problem } from '../problem.ts';
import type { Resource, Resources, Value } from '../template/resource.ts';
import type { Queues } from './queues.ts';

/** Stands in for Athena without an SQL engine: a query is answered with the CSV that was set for it. */
export interface Athena {
  /** Sets the result of a query, by its exact text, and how much it scans. */
  setResult(sql: string, csv: string, scannedBytes: number): void;
  /** The workgroup of the template that a state names; throws a Problem when there is none. */
  workgroup(name: string): Resource;
  /** Runs a query as `athena:startQueryExecution.sync` does: writes the result, or throws as for a failed query. */
  run(parameters: { QueryString: string; ClientRequestToken: string; WorkGroup: string }): Value;
}

/** Opens the workgroups of the template. */
export function openAthena(resources: Resources, queues: Pick<Queues, 'putObject'>): Athena {
  const results = new Map<string, { csv: string; scannedBytes: number }>();
  const workgroup = (name: string): Resource => {
    const found = resources.ofType('AWS::Athena::WorkGroup').find((known) => known.name === name);
    if (!found)
      throw new Problem(`A state machine queries the Athena workgroup ${name}, which is not in the template.`);
    return found;
  };
  return {
    setResult: (sql, csv, scannedBytes) => void results.set(sql, { csv, scannedBytes }),
    workgroup,
    run({ QueryString, ClientRequestToken, WorkGroup }) {
      const result = results.get(QueryString);
      if (!result)
        throw ended('FAILED', 'The local stack has no SQL engine: give the result to POST /_local/queries first.');
      const { BytesScannedCutoffPerQuery, ResultConfiguration } =
        workgroup(WorkGroup).properties.WorkGroupConfiguration;
      if (result.scannedBytes > (BytesScannedCutoffPerQuery ?? Infinity))
        throw ended('CANCELLED', 'Query cancelled! : Bytes scanned limit was exceeded');
      const QueryExecutionId = createHash('sha256').update(ClientRequestToken).digest('hex').slice(0, 32);
      const OutputLocation = `${ResultConfiguration.OutputLocation}${QueryExecutionId}.csv`;
      const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(OutputLocation) as unknown as [string, string, string];
      queues.putObject(bucket, key, result.csv);
      queues.putObject(bucket, `${key}.metadata`, 'columns');
      return { QueryExecution: { QueryExecutionId, ResultConfiguration: { OutputLocation } } };
    },
  };
}

/** What Step Functions makes of a query that ended without a result. */
function ended(State: 'FAILED' | 'CANCELLED', StateChangeReason: string): Error {
  const cause = JSON.stringify({ QueryExecution: { Status: { State, StateChangeReason } } });
  return Object.assign(new Error(cause), { name: 'States.TaskFailed' });
}
