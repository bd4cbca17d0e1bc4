import { type App, RemovalPolicy, type StackProps } from 'aws-cdk-lib';

/** One installation of Mailwright in an AWS account. */
export interface StageSettings {
  name: string;
  /** The address that clients use, without `/v1` and without a trailing slash; absent: API Gateway's own. */
  baseUrl?: string;
  /** Buckets of customers that exports may be read from, beside the system's own. */
  warehouseBuckets: string[];
  /** Databases of the Glue catalog that warehouse queries may read. */
  warehouseDatabases: string[];
  /** Lets webhooks lead to the machine they are sent from: for development on the local stack. */
  webhookAllowLoopback: boolean;
  /** The Bedrock model or inference profile that writes for teams; absent: the embedded engine does. */
  bedrockModelId?: string;
  /** The ARN of the vault, in another account or region, that gets a copy of the table daily; absent: none does. */
  backupCopyTo?: string;
  /** The account's costs in a month, in dollars, of which the operators are warned. */
  monthlyBudget: number;
  /** What happens to data and addresses when their stack goes: only `dev` deletes them. */
  dataRemoval: RemovalPolicy;
}

/**
 * Reads the context `stage` (default `dev`), `baseUrl`, `warehouseBuckets` and `warehouseDatabases` (names between
 * commas), `webhookAllowLoopback` (off by default), `bedrockModelId`, `backupCopyTo` and `monthlyBudget` (dollars,
 * default 100). Throws for a name that AWS does not accept in the names of resources, for an ARN that is not a vault's,
 * and for a budget that is no amount.
 */
export function stageFromContext(app: App): StageSettings {
  const name = String(app.node.tryGetContext('stage') ?? 'dev');
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new Error(`"${name}" cannot be a stage: use 1 to 20 lower-case letters, digits and hyphens, a letter first.`);
  }
  return {
    name,
    baseUrl: app.node.tryGetContext('baseUrl')?.replace(/\/+$/, ''),
    warehouseBuckets: namesIn(app.node.tryGetContext('warehouseBuckets'), /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    warehouseDatabases: namesIn(app.node.tryGetContext('warehouseDatabases'), /^[a-z0-9_]{1,255}$/),
    webhookAllowLoopback: String(app.node.tryGetContext('webhookAllowLoopback')) === 'true',
    bedrockModelId: app.node.tryGetContext('bedrockModelId') || undefined,
    backupCopyTo: vaultIn(app.node.tryGetContext('backupCopyTo')),
    monthlyBudget: amountOf(app.node.tryGetContext('monthlyBudget') ?? 100),
    dataRemoval: name === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  };
}

function vaultIn(context: unknown): string | undefined {
  const arn = String(context ?? '');
  if (arn === '' || /^arn:[a-z-]+:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/.test(arn))
    return arn || undefined;
  throw new Error(`"${arn}" is not the ARN of a backup vault.`);
}

function amountOf(context: unknown): number {
  const amount = Number(context);
  if (!(amount > 0 && amount < Infinity)) throw new Error(`"${context}" cannot be a budget: give dollars a month.`);
  return amount;
}

function namesIn(context: unknown, form: RegExp): string[] {
  const names = String(context ?? '').split(',');
  const wanted = names.map((name) => name.trim()).filter((name) => name !== '');
  const wrong = wanted.find((name) => !form.test(name));
  if (wrong !== undefined) throw new Error(`"${wrong}" cannot be a name of a bucket or a database.`);
  return wanted;
}

/** Names and describes the stack of a part; only those of `dev` can be deleted without ado. */
export function stackProps(stage: StageSettings, part: string, description: string): StackProps {
  return {
    stackName: resourceName(stage, part),
    description: `Mailwright ${stage.name}: ${description}`,
    terminationProtection: stage.dataRemoval === RemovalPolicy.RETAIN,
  };
}

/** The physical name of a resource: `mailwright-<stage>-<name>`. */
export function resourceName(stage: StageSettings, name: string): string {
  return `mailwright-${stage.name}-${name}`;
}
