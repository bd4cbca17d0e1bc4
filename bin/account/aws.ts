import {
  CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { GetAccountSettingsCommand, GetFunctionConcurrencyCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetAccountCommand, ListEmailIdentitiesCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { pricingPlanOf } from '../../shared/domain/messages/sending-price.ts';
import { Explained } from '../local-stack.ts';
import {
  type DeployedStack,
  type DeploymentFacts,
  type Fact,
  type MailAccount,
  type Place,
  type StageFacts,
  type StageStacks,
  stackNames,
} from './facts.ts';

const dayMs = 86_400_000;
const weeks = 4;

// The command line of the CDK takes either name of the region, the SDK only the first.
process.env.AWS_REGION ??= process.env.AWS_DEFAULT_REGION;

/** The account and region that the credentials are for; explains in a sentence what is missing. */
export async function readPlace(): Promise<Place> {
  const client = new STSClient({ maxAttempts: 2 });
  try {
    const region = await client.config.region();
    const { Account = '', Arn = '' } = await client.send(new GetCallerIdentityCommand({}));
    return { account: Account, region, partition: Arn.split(':')[1] ?? 'aws' };
  } catch (error) {
    throw explained(error as Error);
  }
}

function explained({ name, message }: Error): Explained {
  if (/Region is missing/.test(message))
    return new Explained('No AWS region is chosen: set AWS_REGION, for example to eu-central-1.');
  if (
    /Credentials|Token is expired|ExpiredToken|sso login|InvalidClientTokenId|UnrecognizedClient/i.test(name + message)
  )
    return new Explained(
      `No AWS credentials that work (${message.replace(/\.$/, '')}): sign in with "aws sso login" or set AWS_PROFILE.`,
    );
  return new Explained(`AWS does not say who is calling: ${message}`);
}

/** The stacks of a stage. */
export async function readStacks(stage: string): Promise<StageStacks> {
  const client = new CloudFormationClient({});
  const found = stackNames.map(async (name) => [name, await readStack(client, `mailwright-${stage}-${name}`)] as const);
  return Object.fromEntries((await Promise.all(found)).filter(([, stack]) => stack !== undefined));
}

async function readStack(client: CloudFormationClient, StackName: string): Promise<DeployedStack | undefined> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    // A change set that was never executed is not a stack yet.
    if (Stacks[0]?.StackStatus === 'REVIEW_IN_PROGRESS') return undefined;
    const outputs = (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
    return { status: String(Stacks[0]?.StackStatus), outputs: Object.fromEntries(outputs) };
  } catch (error) {
    if (/does not exist/.test((error as Error).message)) return undefined;
    throw new Explained(`CloudFormation does not describe ${StackName}: ${(error as Error).message}`);
  }
}

/** Lets CloudFormation delete stacks of a stage. */
export async function endProtection(stage: string, names: readonly string[]): Promise<void> {
  const client = new CloudFormationClient({});
  for (const name of names) {
    const StackName = `mailwright-${stage}-${name}`;
    await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
  }
}

/** What has to be known before a stage is deployed; a fact that AWS refuses is unknown. */
export async function readDeploymentFacts(place: Place, stage: string): Promise<DeploymentFacts> {
  const [bootstrap, concurrency, mail] = await Promise.all([
    fact('the version of the CDK bootstrap', readBootstrap),
    fact("Lambda's concurrency", () => readConcurrency(stage)),
    fact('the SES account', readMail),
  ]);
  return { place, bootstrap, concurrency, mail };
}

/** What functions outside the stage leave of the account's concurrency: its own reservation is no loss to it. */
async function readConcurrency(stage: string): Promise<number> {
  const client = new LambdaClient({});
  const own = new GetFunctionConcurrencyCommand({ FunctionName: `mailwright-${stage}-ai` });
  const [{ AccountLimit }, { ReservedConcurrentExecutions = 0 }] = await Promise.all([
    client.send(new GetAccountSettingsCommand({})),
    client.send(own).catch((error: Error) => {
      if (error.name === 'ResourceNotFoundException') return { ReservedConcurrentExecutions: 0 };
      throw error;
    }),
  ]);
  return AccountLimit!.UnreservedConcurrentExecutions! + ReservedConcurrentExecutions;
}

/** Tells how a stage is, beside what has to be known before it is deployed. */
export async function readStageFacts(place: Place, stage: string, stacks: StageStacks): Promise<StageFacts> {
  const [deployment, ringing, subscribers, domains, busiestDay] = await Promise.all([
    readDeploymentFacts(place, stage),
    fact('the alarms', () => readRinging(stage)),
    fact("the subscriptions of the operators' topic", () => readSubscribers(operatorsTopic(place, stage))),
    fact('the sending domains', readDomains),
    fact('what was sent', readBusiestDay),
  ]);
  return { ...deployment, stage, stacks, ringing, subscribers, domains, busiestDay };
}

/** The ARN of the topic of a stage's alarms. */
export const operatorsTopic = ({ partition, region, account }: Place, stage: string): string =>
  `arn:${partition}:sns:${region}:${account}:mailwright-${stage}-operators`;

async function fact<T>(what: string, read: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { known: await read() };
  } catch (error) {
    return { unknown: `${what} (${(error as Error).message.replace(/\.$/, '')})` };
  }
}

async function readBootstrap(): Promise<number | null> {
  try {
    const Name = '/cdk-bootstrap/hnb659fds/version';
    const { Parameter } = await new SSMClient({}).send(new GetParameterCommand({ Name }));
    return Number(Parameter?.Value);
  } catch (error) {
    if ((error as Error).name === 'ParameterNotFound') return null;
    throw error;
  }
}

async function readMail(): Promise<MailAccount | null> {
  try {
    const account = await new SESv2Client({}).send(new GetAccountCommand({}));
    return {
      maxSendRate: account.SendQuota?.MaxSendRate ?? 1,
      max24HourSend: account.SendQuota?.Max24HourSend ?? 200,
      sentLast24Hours: account.SendQuota?.SentLast24Hours ?? 0,
      inSandbox: account.ProductionAccessEnabled === false,
      sendingEnabled: account.SendingEnabled !== false,
      pricingPlan: pricingPlanOf(account.PricingAttributes?.CurrentPlan),
      review: account.EnforcementStatus ?? 'HEALTHY',
    };
  } catch (error) {
    // A region without SES has no name for its endpoint.
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return null;
    throw error;
  }
}

async function readRinging(stage: string): Promise<string[]> {
  const AlarmNamePrefix = `mailwright-${stage}-`;
  const { MetricAlarms = [] } = await new CloudWatchClient({}).send(
    new DescribeAlarmsCommand({ AlarmNamePrefix, StateValue: 'ALARM', MaxRecords: 100 }),
  );
  return MetricAlarms.map(({ AlarmName = '' }) => AlarmName);
}

/** How many have subscribed to a topic. */
export async function readSubscribers(TopicArn: string): Promise<{ confirmed: number; pending: number }> {
  const { Attributes = {} } = await new SNSClient({}).send(new GetTopicAttributesCommand({ TopicArn }));
  return {
    confirmed: Number(Attributes.SubscriptionsConfirmed ?? 0),
    pending: Number(Attributes.SubscriptionsPending ?? 0),
  };
}

/** The sending domains of the account, which all its stages share. */
export async function readDomains(): Promise<{ name: string; verified: boolean }[]> {
  const client = new SESv2Client({});
  const found: { name: string; verified: boolean }[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(new ListEmailIdentitiesCommand({ PageSize: 1_000, NextToken }));
    for (const { IdentityType, IdentityName = '', SendingEnabled } of page.EmailIdentities ?? [])
      if (IdentityType === 'DOMAIN') found.push({ name: IdentityName, verified: SendingEnabled === true });
    NextToken = page.NextToken;
  } while (NextToken);
  return found;
}

async function readBusiestDay(): Promise<number> {
  const now = Date.now();
  const { Datapoints = [] } = await new CloudWatchClient({}).send(
    new GetMetricStatisticsCommand({
      Namespace: 'AWS/SES',
      MetricName: 'Send',
      StartTime: new Date(now - weeks * 7 * dayMs),
      EndTime: new Date(now),
      Period: dayMs / 1_000,
      Statistics: ['Sum'],
    }),
  );
  return Math.max(0, ...Datapoints.map(({ Sum = 0 }) => Sum));
}
