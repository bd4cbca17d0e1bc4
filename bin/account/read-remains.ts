import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { readDomains } from './aws.ts';
import type { Remains } from './remains.ts';

/** Reads what a stage keeps: with its data stack what holds data or has an address, unless the stage is `dev`. */
export async function readRemains(stage: string, hasData: boolean): Promise<Remains> {
  const domains = (await readDomains()).map(({ name }) => name);
  const resources = stage === 'dev' || !hasData ? [] : await readResources(`mailwright-${stage}-data`);
  const named = (type: string) => resources.filter((one) => one.type === type).map(({ name }) => name);
  const [table] = await Promise.all(named('AWS::DynamoDB::Table').map(readTable));
  return {
    table,
    buckets: named('AWS::S3::Bucket'),
    apis: named('AWS::ApiGatewayV2::Api'),
    configurationSets: named('AWS::SES::ConfigurationSet'),
    vaults: named('AWS::Backup::BackupVault'),
    keys: named('AWS::KMS::Key'),
    domains,
  };
}

async function readResources(StackName: string): Promise<{ type?: string; name: string }[]> {
  const { StackResources = [] } = await new CloudFormationClient({}).send(
    new DescribeStackResourcesCommand({ StackName }),
  );
  return StackResources.flatMap(({ ResourceType: type, PhysicalResourceId: name }) => (name ? [{ type, name }] : []));
}

/** How large a table is; undefined when somebody has deleted it. */
async function readTable(name: string): Promise<Remains['table']> {
  try {
    const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: name }));
    return { name, items: Table?.ItemCount ?? 0, bytes: Table?.TableSizeBytes ?? 0 };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
