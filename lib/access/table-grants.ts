import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { allow, type Grant, keepAuditLog } from '../grants.ts';

/** What a function may do with the table beyond reading and writing items by key and querying the indexes. */
export interface TableRights {
  /**
   * Use the platform's own partition: the key that signs links and hashes addresses, the limits and the rates of the
   * SES account, and the counter of teams. @default no
   */
  platform?: boolean;
  /** Delete any item; or only jobs that are done, and the place of a domain that is another team's. @default none */
  deletes?: 'items' | 'jobs';
  /** Write many items at a time. @default no */
  inBulk?: boolean;
}

/** Partition keys of `shared/data/keys.ts`, which a test compares: the platform's own, and those of jobs. */
export const namedPartitions = {
  platform: 'PLATFORM',
  domainTree: 'PLATFORM#DOMAIN_TREE',
  jobs: 'DUE#*',
  canary: 'PLATFORM#CANARY',
};

/** The table's indexes. */
export const indexNames = ['gsi1', 'gsi2'];

/** Read and write items by key and query the indexes, with the rights given; nobody may Scan. */
export function useTable(table: Table, { platform, deletes, inBulk }: TableRights = {}): Grant {
  const operations = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'];
  if (deletes === 'items') operations.push('DeleteItem');
  if (inBulk) operations.push('BatchWriteItem');
  return {
    statements: [
      allow(
        [table.tableArn],
        operations.map((operation) => `dynamodb:${operation}`),
      ),
      allow(
        indexNames.map((name) => `${table.tableArn}/index/${name}`),
        ['dynamodb:Query'],
      ),
      ...(deletes === 'jobs' ? [deleteJobs(table)] : []),
      ...(platform ? [] : [denyPlatform(table)]),
      keepAuditLog(table.tableArn),
    ],
    environment: { TABLE_NAME: table.tableName },
  };
}

/** Read and change the canary's item, and nothing else. */
export function useCanaryItem({ tableArn, tableName }: Table): Grant {
  const statement = allow([tableArn], ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  const condition = { 'dynamodb:LeadingKeys': [namedPartitions.canary] };
  statement.addCondition('ForAllValues:StringEquals', condition);
  return { statements: [statement], environment: { TABLE_NAME: tableName } };
}

function deleteJobs({ tableArn }: Table): PolicyStatement {
  const statement = allow([tableArn], ['dynamodb:DeleteItem']);
  const { jobs, domainTree } = namedPartitions;
  statement.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [jobs, domainTree] });
  return statement;
}

/** Whoever reads the signing key can make the links of every recipient. */
function denyPlatform({ tableArn }: Table): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.DENY,
    actions: ['dynamodb:*'],
    resources: [tableArn],
    conditions: { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': [namedPartitions.platform] } },
  });
}
