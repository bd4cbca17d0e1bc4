/** Options of a stage, as for `cdk -c`; the stack tells what it was deployed with, and `npm run deploy` keeps it. */
export const keptOptions = [
  'baseUrl',
  'bedrockModelId',
  'warehouseBuckets',
  'warehouseDatabases',
  'warehouseScanLimitGb',
  'accountConcurrency',
  'backupCopyTo',
  'monthlyBudget',
  'canary',
  'customerKey',
  'firewall',
  'firewallCertificate',
  'firewallAcl',
] as const;

/** The values of kept options; one that is not set is absent. */
export type KeptOptions = Partial<Record<(typeof keptOptions)[number], string>>;

/** Reads those of the kept options that `read` has a value for; an empty value is none. */
export function readOptions(read: (name: string) => unknown): KeptOptions {
  const pairs = keptOptions.map((name) => [name, String(read(name) ?? '').trim()]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}
