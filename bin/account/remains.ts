import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { readDomains } from './aws.ts';
import { dollarsPerGb } from './cost.ts';

/** What a stage keeps when its stacks go. */
export interface Remains {
  /** Absent where the table goes, too. */
  table?: { name: string; items: number; bytes: number };
  buckets: string[];
  /** What links in mail point to: the API and the configuration sets. */
  apis: string[];
  configurationSets: string[];
  /** Vaults of backups, and the keys that encrypt them. */
  vaults: string[];
  keys: string[];
  /** Sending domains, which belong to the account. */
  domains: string[];
}

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

/** What stays after a stage is destroyed, what that costs, and the commands that remove it. */
export function remainLines({ table, buckets, vaults, keys, ...others }: Remains): string[] {
  const { apis, configurationSets, domains } = others;
  const lines: string[] = [];
  if (table) {
    const cost = ((table.bytes / 1e9) * dollarsPerGb).toFixed(2);
    lines.push(
      `The table ${table.name} stays, with ${table.items} items: $${cost} a month. It is protected against deletion:`,
      `    aws dynamodb update-table --table-name ${table.name} --no-deletion-protection-enabled`,
      `    aws dynamodb delete-table --table-name ${table.name}`,
    );
  }
  if (buckets.length > 0)
    lines.push(
      'These buckets stay; their storage costs $0.023 a GB and month:',
      ...buckets.map((name) => `    aws s3 rb --force s3://${name}`),
    );
  if (vaults.length + keys.length > 0)
    lines.push(
      'Backups stay for a week, then their vault can be deleted; the key costs $1.00 a month, and without it none is read:',
      ...vaults.map((name) => `    aws backup delete-backup-vault --backup-vault-name ${name}`),
      ...keys.map((id) => `    aws kms schedule-key-deletion --key-id ${id}`),
    );
  if (apis.length + configurationSets.length > 0)
    lines.push(
      'What links in mail point to stays, and costs nothing:',
      ...apis.map((id) => `    aws apigatewayv2 delete-api --api-id ${id}`),
      ...configurationSets.map((name) => `    aws sesv2 delete-configuration-set --configuration-set-name ${name}`),
    );
  if (domains.length > 0)
    lines.push(
      'Sending domains stay in SES, for every stage of the account, and cost nothing:',
      ...domains.map((name) => `    aws sesv2 delete-email-identity --email-identity ${name}`),
    );
  return lines.length > 0 ? lines : ['Nothing stays.'];
}
