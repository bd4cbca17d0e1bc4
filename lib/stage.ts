import { type App, RemovalPolicy, type StackProps } from 'aws-cdk-lib';
import { aiConcurrency, type QueueWorkerName, workerConcurrency } from './concurrency.ts';
import { type KeptOptions, readOptions } from './options.ts';

/** One installation of Mailwright in an AWS account. */
export interface StageSettings {
  name: string;
  /** The version of the code, for operators. */
  version: string;
  /** What the stage is deployed with, for the next deployment. */
  options: KeptOptions;
  /** Invocations at once of each worker of a queue. */
  workers: Record<QueueWorkerName, number>;
  /** Invocations at once reserved for the AI tools; absent: they share the account's. */
  aiConcurrency?: number;
  /** The address that clients use, without `/v1` and without a trailing slash; absent: API Gateway's own. */
  baseUrl?: string;
  /** Buckets of customers that exports may be read from, beside the system's own. */
  warehouseBuckets: string[];
  /** Databases of the Glue catalog that warehouse queries may read. */
  warehouseDatabases: string[];
  /** Gigabytes that a warehouse query may scan; Athena ends one that scans more. */
  warehouseScanLimitGb: number;
  /** Lets webhooks lead to the machine they are sent from: for development on the local stack. */
  webhookAllowLoopback: boolean;
  /** The Bedrock model or inference profile that writes for teams; absent: the embedded engine does. */
  bedrockModelId?: string;
  /** The ARN of the vault, in another account or region, that gets a copy of the table daily; absent: none does. */
  backupCopyTo?: string;
  /** The account's costs in a month, in dollars, of which the operators are warned. */
  monthlyBudget: number;
  /** Whether a message goes through the API every few minutes, and is looked for. */
  canary: boolean;
  /** Whether a KMS key in the account encrypts the table, the queues and the topics. */
  customerKey: boolean;
  /** The web application firewall before the API; absent: there is none. */
  firewall?: FirewallSettings;
  /** Whether data and addresses stay when their stack goes: only `dev` deletes them. */
  keepsData: boolean;
  /** The same for resources; those of a stack whose creation fails go, or their names would be taken. */
  dataRemoval: RemovalPolicy;
}

/** A web application firewall before the API. */
export interface FirewallSettings {
  /** Whether calls of the API that come round it are answered, too: while clients and DNS move. */
  open: boolean;
  /** The name under which it answers. */
  domainName: string;
  /** The ARN of the certificate of that name, in us-east-1. */
  certificate: string;
  /** The ARN of a web ACL in us-east-1; absent: the stack makes one. */
  webAcl?: string;
}

/**
 * Reads the context `stage` (default `dev`), `version`, `webhookAllowLoopback` (off by default), and the kept options:
 * `baseUrl`, `warehouseBuckets` and `warehouseDatabases` (names between commas), `warehouseScanLimitGb` (gigabytes,
 * default 1,000), `bedrockModelId`, `backupCopyTo`, `monthlyBudget` (dollars, default 100), `canary` and `customerKey`
 * (`true` or `false`, the default), those of a firewall (`firewallIn`; `region` is where the stage is deployed,
 * as far as it is known), and `accountConcurrency`, how many functions the account runs at once (else
 * `measuredConcurrency`, which is not kept). Throws for a name that AWS does not accept in the names of resources, for
 * an ARN that is not a vault's, for a number that is none, and for a switch that is neither on nor off.
 */
export function stageFromContext(app: App): StageSettings {
  const name = String(app.node.tryGetContext('stage') ?? 'dev');
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new Error(`"${name}" cannot be a stage: use 1 to 20 lower-case letters, digits and hyphens, a letter first.`);
  }
  const options = readOptions((option) => app.node.tryGetContext(option));
  const account = concurrencyIn(options.accountConcurrency ?? app.node.tryGetContext('measuredConcurrency'));
  return {
    name,
    version: String(app.node.tryGetContext('version') ?? 'unknown'),
    options,
    workers: workerConcurrency(account),
    aiConcurrency: aiConcurrency(account),
    baseUrl: options.baseUrl?.replace(/\/+$/, ''),
    warehouseBuckets: namesIn(options.warehouseBuckets, /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    warehouseDatabases: namesIn(options.warehouseDatabases, /^[a-z0-9_]{1,255}$/),
    warehouseScanLimitGb: gigabytesIn(options.warehouseScanLimitGb ?? '1000'),
    webhookAllowLoopback: String(app.node.tryGetContext('webhookAllowLoopback')) === 'true',
    bedrockModelId: options.bedrockModelId,
    backupCopyTo: vaultIn(options.backupCopyTo),
    monthlyBudget: amountOf(options.monthlyBudget ?? '100'),
    canary: switchOf('canary', options.canary),
    customerKey: switchOf('customerKey', options.customerKey),
    firewall: firewallIn(options, app.node.tryGetContext('region')),
    keepsData: name !== 'dev',
    dataRemoval: name === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  };
}

/**
 * Reads the options of a firewall; undefined without one. Throws for an option of another form, for a firewall without
 * an address of the API's own and a certificate for it, and for one without a web ACL in a region that cannot make it.
 */
function firewallIn(options: KeptOptions, region: string | undefined): FirewallSettings | undefined {
  const { firewall = 'false', baseUrl, firewallCertificate: certificate, firewallAcl: webAcl } = options;
  if (!['true', 'open', 'false'].includes(firewall))
    throw new Error(`firewall must be true, open or false, not "${firewall}".`);
  if (certificate !== undefined && !/^arn:[a-z-]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/.test(certificate))
    throw new Error(`"${certificate}" is not the ARN of a certificate in us-east-1, where CloudFront looks for them.`);
  if (webAcl !== undefined && !/^arn:[a-z-]+:wafv2:us-east-1:\d{12}:global\/webacl\/[\w-]+\/[\w-]+$/.test(webAcl))
    throw new Error(`"${webAcl}" is not the ARN of a web ACL of CloudFront (us-east-1, global/webacl).`);
  if (firewall === 'false') return undefined;
  const { protocol, port, hostname: domainName } = URL.parse(baseUrl ?? '') ?? {};
  if (protocol !== 'https:' || port || !domainName || !certificate)
    throw new Error(
      'A firewall answers at a name of yours: give baseUrl (https, no port) and firewallCertificate, too.',
    );
  if (region !== undefined && region !== 'us-east-1' && !webAcl)
    throw new Error(`AWS has web ACLs of CloudFront in us-east-1 only: make one there for ${region}, as firewallAcl.`);
  return { open: firewall === 'open', domainName, certificate, webAcl };
}

function vaultIn(arn: string | undefined): string | undefined {
  if (arn === undefined || /^arn:[a-z-]+:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/.test(arn)) return arn;
  throw new Error(`"${arn}" is not the ARN of a backup vault.`);
}

function amountOf(option: string): number {
  const amount = Number(option);
  if (!(amount > 0 && amount < Infinity)) throw new Error(`"${option}" cannot be a budget: give dollars a month.`);
  return amount;
}

function gigabytesIn(option: string): number {
  if (/^[1-9]\d{0,5}$/.test(option)) return Number(option);
  throw new Error(`warehouseScanLimitGb must be gigabytes that a query may scan, not "${option}".`);
}

function switchOf(name: string, option = 'false'): boolean {
  if (option === 'true' || option === 'false') return option === 'true';
  throw new Error(`${name} must be true or false, not "${option}".`);
}

function concurrencyIn(context: unknown): number | undefined {
  if (context === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(String(context))) return Number(context);
  throw new Error(`accountConcurrency must be a number of functions at once, not "${context}".`);
}

function namesIn(option = '', form: RegExp): string[] {
  const names = option.split(',');
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
    terminationProtection: stage.keepsData,
  };
}

/** The physical name of a resource: `mailwright-<stage>-<name>`. */
export function resourceName(stage: StageSettings, name: string): string {
  return `mailwright-${stage.name}-${name}`;
}
