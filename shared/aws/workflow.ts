import { DescribeExecutionCommand, SFNClient, StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { config } from './config.ts';
import { lazily } from './lazily.ts';

const states = /* @__PURE__ */ lazily(
  () =>
    new SFNClient({
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
    }),
);

/** Starts the campaign workflow under a name; a second start under the same name changes nothing. */
export const start = (name: string, input: { team_id: number; campaign_id: number; run: number }): Promise<void> =>
  startExecution(config.campaignStateMachineArn, name, input);

/** The status of the campaign execution of this name (`RUNNING`); undefined when there is none. */
export const executionStatus = (name: string): Promise<string | undefined> =>
  statusOf(config.campaignStateMachineArn, name);

/** Whether the campaign execution of this name is running now. */
export const isRunning = async (name: string): Promise<boolean> => (await executionStatus(name)) === 'RUNNING';

/** Starts a run of an endpoint's webhook retries under a name; a second start under the same name changes nothing. */
export const startRetries = (name: string, input: { team_id: number; webhook_id: number }): Promise<void> =>
  startExecution(config.webhookStateMachineArn, name, input);

/** Whether the run of webhook retries of this name is running now. */
export const retriesRun = async (name: string): Promise<boolean> =>
  (await statusOf(config.webhookStateMachineArn, name)) === 'RUNNING';

/** Stops the run of webhook retries of this name, if it runs. */
export async function stopRetries(name: string): Promise<void> {
  const executionArn = executionArnOf(config.webhookStateMachineArn, name);
  try {
    await states().send(new StopExecutionCommand({ executionArn }));
  } catch (error) {
    if ((error as Error).name !== 'ExecutionDoesNotExist') throw error;
  }
}

const executionArnOf = (stateMachineArn: string, name: string): string =>
  `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;

async function startExecution(stateMachineArn: string, name: string, input: object): Promise<void> {
  try {
    await states().send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
  } catch (error) {
    if ((error as Error).name !== 'ExecutionAlreadyExists') throw error;
  }
}

async function statusOf(stateMachineArn: string, name: string): Promise<string | undefined> {
  const executionArn = executionArnOf(stateMachineArn, name);
  try {
    return (await states().send(new DescribeExecutionCommand({ executionArn }))).status;
  } catch (error) {
    if ((error as Error).name === 'ExecutionDoesNotExist') return undefined;
    throw error;
  }
}
