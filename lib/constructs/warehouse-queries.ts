import { type Acknowledgment, Aws, Stack } from 'aws-cdk-lib';
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CustomState } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Exports } from '../exports.ts';
import { allow, wildcard } from '../grants.ts';
import { resourceName, type StageSettings } from '../stage.ts';
import type { OptionalStep } from './optional-step.ts';

/** Warehouse audiences: a workgroup, whose results are stored beside the exports, and the query step. */
export class WarehouseQueries extends Construct implements OptionalStep {
  readonly name = 'query';
  readonly workgroup: string;
  /** What a role may do that runs a query. */
  readonly statements: PolicyStatement[];
  readonly wildcards: Acknowledgment[];

  constructor(scope: Construct, id: string, props: { stage: StageSettings; exports: Exports }) {
    super(scope, id);
    const { stage, exports } = props;
    const { value: bucket, exportedAs } = exports.arn;
    this.workgroup = resourceName(stage, 'exports');
    new CfnWorkGroup(this, 'Workgroup', {
      name: this.workgroup,
      recursiveDeleteOption: stage.name === 'dev',
      workGroupConfiguration: {
        // Otherwise the caller of a query chooses where its result goes, and whether it is encrypted.
        enforceWorkGroupConfiguration: true,
        bytesScannedCutoffPerQuery: stage.warehouseScanLimitGb * 1e9,
        resultConfiguration: {
          outputLocation: `s3://${exports.bucket.bucketName}/queries/`,
          encryptionConfiguration: { encryptionOption: 'SSE_S3' },
        },
      },
    });
    const sources = stage.warehouseBuckets.map((name) => `arn:${Aws.PARTITION}:s3:::${name}`);
    const glue = (resource: string) => Stack.of(this).formatArn({ service: 'glue', resource });
    const athena = (resource: string) => Stack.of(this).formatArn({ service: 'athena', resource });
    const databases = stage.warehouseDatabases;
    this.statements = [
      allow(
        [athena(`workgroup/${this.workgroup}`)],
        ['athena:StartQueryExecution', 'athena:GetQueryExecution', 'athena:StopQueryExecution'],
      ),
      allow([athena('datacatalog/AwsDataCatalog')], ['athena:GetDataCatalog']),
      allow([bucket, ...sources], ['s3:GetBucketLocation', 's3:ListBucket']),
      allow(
        [`${bucket}/queries/*`],
        ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
      ),
    ];
    const objects = sources.map((arn) => `${arn}/*`);
    if (objects.length > 0) this.statements.push(allow(objects, ['s3:GetObject']));
    const tables = databases.flatMap((name) => [glue(`database/${name}`), glue(`table/${name}/*`)]);
    const readTables = ['GetDatabase', 'GetTable', 'GetTables', 'GetPartition', 'GetPartitions'];
    if (tables.length > 0)
      this.statements.push(
        allow(
          [glue('catalog'), ...tables],
          readTables.map((name) => `glue:${name}`),
        ),
      );
    this.wildcards = [
      wildcard(`${exportedAs}/queries/*`, 'Athena names the results of queries.'),
      ...stage.warehouseBuckets.map((name) =>
        wildcard(
          `arn:<AWS::Partition>:s3:::${name}/*`,
          'A query reads the objects of its tables, whatever they are called.',
        ),
      ),
      ...databases.map((name) =>
        wildcard(`glue:table/${name}/*`, 'A query may read every table of a database that the stage names.'),
      ),
    ];
  }

  /** Runs a query and waits for its end. Athena runs a token's query once, so a repeated step does not query again. */
  state(scope: Construct): CustomState {
    return new CustomState(scope, 'Run query', {
      stateJson: {
        Type: 'Task',
        Resource: `arn:${Aws.PARTITION}:states:::athena:startQueryExecution.sync`,
        Parameters: {
          'QueryString.$': '$.result.query.sql',
          'ClientRequestToken.$': '$.result.query.token',
          WorkGroup: this.workgroup,
        },
        ResultSelector: { 'location.$': '$.QueryExecution.ResultConfiguration.OutputLocation' },
        ResultPath: '$.query',
        Retry: [
          { ErrorEquals: ['Athena.TooManyRequestsException'], IntervalSeconds: 5, BackoffRate: 2, MaxAttempts: 6 },
        ],
        TimeoutSeconds: 3_600,
      },
    });
  }
}
