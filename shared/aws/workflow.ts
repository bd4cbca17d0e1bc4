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

/** Whether the campaign execution of this name is running now. */
export function isRunning(name: string): Promise<boolean> {
  return executionRuns(config.campaignStateMachineArn, name);
}

/** What a run of the webhook workflow works on. */
export interface RetryInput {
  team_id: number;
  webhook_id: number;
  event_id: string;
}

/** Starts the further attempts of a delivery under a name; a second start under the same name changes nothing. */
export function startRetries(name: string, input: RetryInput): Promise<void> {
  return startExecution(config.webhookStateMachineArn, name, input);
}

/** Whether the further attempts of this name are being made. */
export function retriesRun(name: string): Promise<boolean> {
  return executionRuns(config.webhookStateMachineArn, name);
}

async function startExecution(stateMachineArn: string, name: string, input: object): Promise<void> {
  try {
    await states().send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
  } catch (error) {
    if ((error as Error).name !== 'ExecutionAlreadyExists') throw error;
  }
}

async function executionRuns(stateMachineArn: string, name: string): Promise<boolean> {
  const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
  try {
    const { status } = await states().send(new DescribeExecutionCommand({ executionArn }));
    return status === 'RUNNING';
  } catch (error) {
    if ((error as Error).name === 'ExecutionDoesNotExist') return false;
    throw error;
  }
}
