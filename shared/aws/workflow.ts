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
export async function start(name: string, input: { team_id: number; campaign_id: number; run: number }): Promise<void> {
  try {
    await states().send(
      new StartExecutionCommand({
        stateMachineArn: config.campaignStateMachineArn,
        name,
        input: JSON.stringify(input),
      }),
    );
  } catch (error) {
    if ((error as Error).name !== 'ExecutionAlreadyExists') throw error;
  }
}

/** Whether the execution of this name is running now. */
export async function isRunning(name: string): Promise<boolean> {
  const executionArn = `${config.campaignStateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
  try {
    const { status } = await states().send(new DescribeExecutionCommand({ executionArn }));
    return status === 'RUNNING';
  } catch (error) {
    if ((error as Error).name === 'ExecutionDoesNotExist') return false;
    throw error;
  }
}
