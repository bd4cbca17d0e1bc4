import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { config } from './config.ts';

let client: SFNClient | undefined;
const states = () => {
  client ??= new SFNClient({
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  return client;
};

/** Starts the campaign workflow under a name; a second start under the same name changes nothing. */
export function start(name: string, input: { team_id: number; campaign_id: number; run: number }): Promise<void> {
  return startExecution(config.campaignStateMachineArn, name, input);
}

/** The status of the campaign execution of this name (`RUNNING`); undefined when there is none. */
export function executionStatus(name: string): Promise<string | undefined> {
  return statusOf(config.campaignStateMachineArn, name);
}

/** Whether the campaign execution of this name is running now. */
export async function isRunning(name: string): Promise<boolean> {
  return (await executionStatus(name)) === 'RUNNING';
}

/** The input of the webhook workflow: the delivery that it retries. */
export interface RetryInput {
  team_id: number;
  webhook_id: number;
  event_id: string;
}

/** Starts the retries of a delivery under a name; a second start under the same name changes nothing. */
export function startRetries(name: string, input: RetryInput): Promise<void> {
  return startExecution(config.webhookStateMachineArn, name, input);
}

/** Whether the retries of this name are running now. */
export async function retriesRun(name: string): Promise<boolean> {
  return (await statusOf(config.webhookStateMachineArn, name)) === 'RUNNING';
}

async function startExecution(stateMachineArn: string, name: string, input: object): Promise<void> {
  try {
    await states().send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
  } catch (error) {
    if ((error as Error).name !== 'ExecutionAlreadyExists') throw error;
  }
}

async function statusOf(stateMachineArn: string, name: string): Promise<string | undefined> {
  const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
  try {
    const { status } = await states().send(new DescribeExecutionCommand({ executionArn }));
    return status;
  } catch (error) {
    if ((error as Error).name === 'ExecutionDoesNotExist') return undefined;
    throw error;
  }
}
