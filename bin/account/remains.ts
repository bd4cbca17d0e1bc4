import { dollarsPerGb } from './cost.ts';

/** What a stage keeps when its stacks go. */
export interface Remains {
  /** Absent where the table goes, too. */
  table?: { name: string; items: number; bytes: number };
  buckets: string[];
  /** What links in mail point to: the API and the configuration sets. */
  apis: string[];
  configurationSets: string[];
  /** Vaults of backups. */
  vaults: string[];
  /** KMS keys, of secrets and of whatever else is encrypted. */
  keys: string[];
  /** Sending domains, which belong to the account. */
  domains: string[];
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
  if (vaults.length > 0)
    lines.push(
      'Backups stay for a week, then their vault can be deleted:',
      ...vaults.map((name) => `    aws backup delete-backup-vault --backup-vault-name ${name}`),
    );
  if (keys.length > 0)
    lines.push(
      'Each key costs $1.00 a month. Without it the secrets in the table do not open, or its backups: delete it last:',
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
