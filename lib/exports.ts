import { Aws, CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import { allow, type Grant, wildcard } from './grants.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** Where customers' warehouses unload their audiences. */
export interface Exports {
  bucket: Bucket;
  /** The bucket's ARN, for other stacks, and the name under which they import it. */
  arn: { value: string; exportedAs: string };
  /** List and read exports and results of queries, and what is in the customers' buckets that the stage names. */
  read: Grant;
}

/** Adds the bucket of exports, with a prefix for each team. Exports expire: they are copies of a warehouse's data. */
export function addExports(stack: Stack, stage: StageSettings): Exports {
  const { dataRemoval } = stage;
  const accessLog = addBucket(stack, 'ExportAccessLog', 90, { removalPolicy: dataRemoval });
  const bucket = addBucket(stack, 'Exports', 30, { removalPolicy: dataRemoval, serverAccessLogsBucket: accessLog });
  const exportedAs = resourceName(stage, 'exports-arn');
  const arn = { value: stack.exportValue(bucket.bucketArn, { name: exportedAs }), exportedAs };
  new CfnOutput(stack, 'ExportBucketName', {
    value: bucket.bucketName,
    description: "Warehouses unload a team's audience under teams/<team id>/.",
  });
  return { bucket, arn, read: readExports(bucket, arn, stage.warehouseBuckets) };
}

function addBucket(stack: Stack, id: string, keptDays: number, props: BucketProps): Bucket {
  return new Bucket(stack, id, {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    lifecycleRules: [{ expiration: Duration.days(keptDays), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    ...props,
  });
}

function readExports(bucket: Bucket, { value: arn, exportedAs }: Exports['arn'], customerBuckets: string[]): Grant {
  const own = ['teams/*', 'queries/*'];
  const customers = customerBuckets.map((name) => `arn:${Aws.PARTITION}:s3:::${name}`);
  const shown = [
    ...own.map((keys) => `${exportedAs}/${keys}`),
    ...customerBuckets.map((name) => `arn:<AWS::Partition>:s3:::${name}/*`),
  ];
  return {
    statements: [
      allow([arn, ...customers], ['s3:ListBucket']),
      allow([...own.map((keys) => `${arn}/${keys}`), ...customers.map((name) => `${name}/*`)], ['s3:GetObject']),
    ],
    environment: { EXPORT_BUCKET: bucket.bucketName },
    wildcards: shown.map((resource) => wildcard(resource, 'Warehouses name the objects that they unload.')),
  };
}
