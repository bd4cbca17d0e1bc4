// `npm run admin -- <noun> <verb> [--flags] [--stage NAME] [--json]`: the operators' commands, on the local stack or on a deployed stage.
import { parseArgs } from 'node:util';
import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { Explained, findLocalStack, notRunning } from './local-stack.ts';
import { type OperatorCommand, operatorCommands, usageOf } from './operator-commands.ts';

/** The stage that the local stack synthesizes. */
const localStage = 'dev';

type Flags = Record<string, string | boolean | undefined>;

class WrongUsage extends Explained {
  readonly usage: readonly string[];

  constructor(message: string, usage: readonly string[]) {
    super(message);
    this.usage = usage;
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Explained)) throw error;
  console.error(error.message);
  if (error instanceof WrongUsage) console.error(`Usage:\n${error.usage.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<number> {
  const everything = Object.keys(operatorCommands).map(usageOf);
  if (args.length === 0 || args[0] === '--help') {
    console.log(`Usage:\n${everything.map((line) => `  ${line}`).join('\n')}`);
    return args.length === 0 ? 1 : 0;
  }
  const [noun = '', verb = '', ...rest] = args;
  const name = `${noun} ${verb}`;
  const command = operatorCommands[name];
  if (!command) throw new WrongUsage(`There is no command "${name.trim()}".`, everything);
  if (rest.includes('--help')) {
    console.log(`Usage:\n  ${usageOf(name)}`);
    return 0;
  }
  const flags = readFlags(name, command, rest);
  const result = await operate(flags, { command: name, ...command.input(flags) });
  const { error } = result as { error?: { message: string; code: string } };
  if (flags.json) console.log(JSON.stringify(result));
  else if (error) console.error(error.message);
  else console.log(command.show(result, flags));
  return error ? 1 : 0;
}

function readFlags(name: string, command: OperatorCommand, args: string[]): Flags {
  const options = Object.fromEntries(
    Object.entries({ ...command.flags, stage: 'NAME', json: undefined }).map(([flag, value]) => [
      flag,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    const { values } = parseArgs({ args, options, allowPositionals: false });
    const missing = command.required.filter((flag) => !values[flag]);
    if (missing.length === 0) return values;
    throw new Error(`${missing.map((flag) => `--${flag}`).join(' and ')} must be given.`);
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ');
    throw new WrongUsage(sentence!.replace(/\.?$/, '.'), [usageOf(name)]);
  }
}

/** Invokes the stage's `operate` function and gives what it answered. */
async function operate({ stage }: Flags, event: object): Promise<object> {
  const local: LambdaClientConfig | undefined =
    stage === undefined
      ? {
          endpoint: findLocalStack().awsEndpoint,
          region: 'us-east-1',
          credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
        }
      : undefined;
  const name = `mailwright-${stage ?? localStage}-operate`;
  // One attempt: a command that was lost on its way back may have taken effect.
  const lambda = new LambdaClient({ ...local, maxAttempts: 1 });
  try {
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
    );
    const answer = JSON.parse(Buffer.from(Payload ?? []).toString() || '{}') as { errorMessage?: string };
    if (FunctionError) throw new Explained(`${name} failed: ${answer.errorMessage}. Its log has the details.`);
    return answer;
  } catch (error) {
    throw explained(error as Error, name, local !== undefined);
  }
}

function explained(error: Error, name: string, local: boolean): Error {
  if (error instanceof Explained) return error;
  if (local) return /ECONNREFUSED|ECONNRESET/.test(`${error.message} ${error.cause}`) ? notRunning() : error;
  if (error.name === 'ResourceNotFoundException')
    return new Explained(`There is no function ${name} in this account and region: deploy the stage first.`);
  if (
    /Region is missing|Could not load credentials|ExpiredToken|UnrecognizedClient|AccessDenied/.test(
      `${error.name} ${error.message}`,
    )
  )
    return new Explained(
      `AWS refuses: ${error.message.replace(/\.?$/, '.')} Set AWS_PROFILE (or AWS_REGION and credentials) as for deploying.`,
    );
  return error;
}
