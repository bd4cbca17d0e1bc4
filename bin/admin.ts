// `npm run admin -- <noun> <verb> [--flags] [--stage NAME] [--json]`: the operators' commands,
// on the local stack or on a deployed stage.
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { type OperatorCommand, operatorCommands } from '../functions/operator-commands.ts';
import { type Domain, publishedLines, publishRecords } from './account/publish-records.ts';
import { Explained, findLocalStack, notRunning } from './local-stack.ts';
import { flagsOf, shown, usageOf } from './operator-commands.ts';
import type { Flags } from './show-commands.ts';

/** The stage that the local stack synthesizes. */
const localStage = 'dev';

const notAuthorized = /Region is missing|Could not load credentials|ExpiredToken|UnrecognizedClient|AccessDenied/;

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
  const everything = (Object.keys(operatorCommands) as OperatorCommand[]).map(usageOf);
  if (args.length === 0 || args[0] === '--help') {
    console.log(`Usage:\n${everything.map((line) => `  ${line}`).join('\n')}`);
    return args.length === 0 ? 1 : 0;
  }
  const [noun = '', verb = '', ...rest] = args;
  const name = `${noun} ${verb}`;
  if (!isCommand(name)) throw new WrongUsage(`There is no command "${name.trim()}".`, everything);
  if (rest.includes('--help')) {
    console.log(`Usage:\n  ${usageOf(name)}`);
    return 0;
  }
  const flags = readFlags(name, rest);
  if (flags.publish && flags.stage === undefined)
    throw new WrongUsage('--publish needs --stage: the local stack has no DNS.', [usageOf(name)]);
  const result = await operate(flags, { command: name, operator: userInfo().username, ...inputOf(name, flags) });
  const { error } = result as { error?: { message: string; code: string } };
  const plan = flags.publish && !error ? await publishRecords(result as Domain) : undefined;
  if (flags.json) console.log(JSON.stringify(plan ? { ...result, published: plan } : result));
  else if (error) console.error(error.message);
  else console.log(shown[name](result, flags));
  if (plan && !flags.json) console.log(publishedLines(plan));
  return error ? 1 : 0;
}

function isCommand(name: string): name is OperatorCommand {
  return Object.hasOwn(operatorCommands, name);
}

function readFlags(command: OperatorCommand, args: string[]): Flags {
  const known = flagsOf(command);
  const options = Object.fromEntries(
    known.map(({ name, placeholder }) => [name, { type: placeholder === undefined ? 'boolean' : 'string' } as const]),
  );
  try {
    const { values } = parseArgs({
      args,
      options: { ...options, stage: { type: 'string' }, json: { type: 'boolean' } },
      allowPositionals: false,
    });
    const flags: Flags = values;
    const missing = known.filter(({ name, required }) => required && !flags[name]);
    if (missing.length === 0) return flags;
    throw new Error(`${missing.map(({ name }) => `--${name}`).join(' and ')} must be given.`);
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ');
    throw new WrongUsage(sentence!.replace(/\.?$/, '.'), [usageOf(command)]);
  }
}

/** The command's input from its flags; a wrong flag is refused before the stage is called. */
function inputOf(command: OperatorCommand, flags: Flags): object {
  const known = flagsOf(command);
  const input = Object.fromEntries(known.map(({ name, field }) => [field, flags[name]]));
  const { error } = operatorCommands[command].safeParse(input);
  if (!error) return input;
  const { path, message } = error.issues[0]!;
  const flag = known.find(({ field }) => field === path[0])!.name;
  throw new WrongUsage(`--${flag}: ${message}.`, [usageOf(command)]);
}

/** Invokes the stage's `operate` function and returns its answer. */
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
  // One attempt: a command whose answer was lost may have taken effect.
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
  if (notAuthorized.test(`${error.name} ${error.message}`))
    return new Explained(
      `AWS refuses: ${error.message.replace(/\.?$/, '.')} ` +
        'Set AWS_PROFILE (or AWS_REGION and credentials) as for deploying.',
    );
  return error;
}
