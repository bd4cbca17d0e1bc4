import type { KeptOptions } from '../../lib/options.ts';
import type { AccountLimits } from '../../shared/domain/messages/account-limits.ts';

/** What AWS said, or why it did not say it. */
export type Fact<T> = { known: T } | { unknown: string };

/** The value of a fact; undefined when it is not known. */
export const knownOf = <T>(fact: Fact<T>): T | undefined => ('known' in fact ? fact.known : undefined);

/** Who calls, and where. */
export interface Place {
  account: string;
  region: string;
  partition: string;
}

/** A deployed stack. */
export interface DeployedStack {
  status: string;
  outputs: Record<string, string>;
}

/** The stacks of a stage by name (`data`, `pipeline`, `api`); one that is not there is absent. */
export type StageStacks = Partial<Record<StackName, DeployedStack>>;

/** The stacks of a stage in the order of deployment. */
export const stackNames = ['data', 'pipeline', 'api'] as const;
export type StackName = (typeof stackNames)[number];

/** The stacks whose creation failed: `cdk deploy` deletes one that was rolled back, and creates it again. */
export const neverCreated = (stacks: StageStacks): StackName[] =>
  stackNames.filter(
    (name) => isHalfWay(stacks[name]) || /^ROLLBACK_(COMPLETE|FAILED)$/.test(stacks[name]?.status ?? ''),
  );

/** Whether the creation of a stack was stopped half-way, without a rollback. */
export const isHalfWay = (stack: DeployedStack | undefined): boolean => stack?.status === 'CREATE_FAILED';

/** The SES account in a region; `review` is SES's word on its reputation. */
export interface MailAccount extends AccountLimits {
  review: string;
}

/** What has to be known before a stage is deployed. */
export interface DeploymentFacts {
  place: Place;
  /** The version of the bootstrap stack; null when there is none. */
  bootstrap: Fact<number | null>;
  /** Functions at once that are not reserved for others. */
  concurrency: Fact<number>;
  /** Null when the region has no SES. */
  mail: Fact<MailAccount | null>;
}

/** What has to be known to say how a stage is. */
export interface StageFacts extends DeploymentFacts {
  stage: string;
  stacks: StageStacks;
  /** Names of alarms that ring. */
  ringing: Fact<string[]>;
  /** Confirmed and pending subscriptions of the operators' topic. */
  subscribers: Fact<{ confirmed: number; pending: number }>;
  /** Sending domains in SES, and whether SES may send from them. */
  domains: Fact<{ name: string; verified: boolean }[]>;
  /** Most messages of one day of the last four weeks. */
  busiestDay: Fact<number>;
}

/** What a stage was deployed with; undefined when an earlier version did not say. */
export function deployedOptions({ data }: StageStacks): KeptOptions | undefined {
  return data?.outputs.Options === undefined ? undefined : (JSON.parse(data.outputs.Options) as KeptOptions);
}
