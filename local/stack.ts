import { rmSync } from 'node:fs';
import { openAthena } from './aws/athena.ts';
import { openBucketFiles } from './aws/bucket-files.ts';
import { createTables, openDynamoDb } from './aws/dynamodb.ts';
import { openWire, type Wire } from './aws/endpoint.ts';
import { openQueueJournal } from './aws/queue-journal.ts';
import { openQueues } from './aws/queues.ts';
import { openWorkflows } from './aws/workflows.ts';
import { clock } from './clock.ts';
import { controlPages } from './controls.ts';
import { type DataFolder, damaged, openDataFolder } from './data-folder.ts';
import { Faults } from './faults.ts';
import { openGateway, readRoutes } from './http/gateway.ts';
import { settle } from './idle.ts';
import { startEventSources } from './lambda/event-sources.ts';
import { installFunctionContext } from './lambda/function-context.ts';
import { prepareFunctions } from './lambda/runtime.ts';
import { startSchedules } from './lambda/schedules.ts';
import { openOperators } from './operators.ts';
import { type Credentials, seed } from './seed.ts';
import { openSes, type Ses, type SesOptions } from './ses/server.ts';
import { readAssembly, synthesize } from './template/assembly.ts';
import { readPermissions } from './template/permissions.ts';
import type { Resources, Surroundings } from './template/resource.ts';
import { resolveTemplates } from './template/template.ts';
import { Usage } from './usage.ts';

/** How to start a stack. */
export interface StackOptions {
  port: number;
  /** The data folder; an ephemeral stack has one of its own, removed at its end. */
  data: string;
  ephemeral: boolean;
  /** A cloud assembly to run as it is; without it the CDK app is synthesized. */
  assembly?: string;
  /** The context of that synthesis, as `cdk -c` would give it. */
  context?: Record<string, string>;
  /** Whether the functions' SDK calls are answered in this process; otherwise they go over a socket, as they do to AWS. */
  inProcess: boolean;
  /** Told when an engine ends by itself. */
  onFailure(message: string): void;
}

/** A running stack. */
export interface Stack {
  credentials: Credentials;
  /** The DynamoDB that somebody else runs, where it is not the stack's own. */
  dynamoDbElsewhere?: string;
  dataFolder: DataFolder;
  stop(): Promise<void>;
}

/** Starts everything that the CDK app describes, on the clock that is installed; whatever was started is stopped again when something fails. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const started: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of started.reverse()) await end();
    started.length = 0;
  };
  const opened = <T>(part: T, end: (part: T) => unknown): T => {
    started.push(() => end(part));
    return part;
  };
  try {
    return { ...(await start(options, opened)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Opened = <T>(part: T, end: (part: T) => unknown) => T;

async function start(options: StackOptions, opened: Opened): Promise<Omit<Stack, 'stop'>> {
  const folder = opened(openDataFolder({ path: options.data, ephemeral: options.ephemeral }), (part) => part.close());
  clock.restore(Number(folder.read('clock_offset') ?? 0));
  const gateway = opened(await openGateway(options.port), (part) => part.close());
  const wire = opened(await openWire({ inProcess: options.inProcess }), (part) => part.close());
  const assembly = options.assembly ?? folder.file('cdk.out');
  const [dynamoDb] = await Promise.all([
    openDynamoDb(folder, (detail) => options.onFailure(`The DynamoDB engine ended: ${detail}`)).then((part) =>
      opened(part, (running) => running.stop()),
    ),
    options.assembly ? undefined : synthesizeAnew(assembly, options.context),
  ]);

  const surroundings: Surroundings = {
    region: 'us-east-1',
    accountId: '000000000000',
    awsEndpoint: wire.endpoint,
    apiEndpoint: gateway.baseUrl,
  };
  const resources = resolveTemplates(readAssembly(assembly), surroundings);
  installFunctionContext();
  const permissions = readPermissions(resources);
  const functions = prepareFunctions(resources, surroundings, folder.file('logs'));
  const routes = readRoutes(resources, functions);
  await createTables(resources, dynamoDb);
  const journal = folder.ephemeral ? undefined : openQueueJournal(folder.file('queues.jsonl'));
  if (journal) opened(journal, (part) => part.close());
  const files = folder.ephemeral ? undefined : openBucketFiles(folder.file('buckets.sqlite'));
  if (files) opened(files, (part) => part.close());
  const queues = opened(await openQueues(resources, surroundings, journal, files), (part) => part.close());
  const athena = openAthena(resources, queues);
  const workflows = opened(openWorkflows(resources, functions, permissions, athena), (part) => part.stop());
  const ses = opened(await openMail(folder, resources, wire, gateway.baseUrl), (part) => part.close());
  const faults = new Faults();
  const usage = new Usage((caller) => functions.find(caller)?.name, workflows.transitions);
  functions.onInvoked((called, milliseconds) => usage.invoked(called, milliseconds));
  functions.onInvoked(
    (called, _, error) => error && console.error(`${called.name} failed: ${error.errorType}: ${error.errorMessage}`),
  );
  wire.connect({ resources, surroundings, permissions, functions, faults, usage, dynamoDb, queues, workflows, ses });

  const operators = openOperators(functions, ses);
  const credentials = await seed(folder, operators, gateway.baseUrl);
  const eventSources = opened(
    startEventSources(resources, surroundings, { queues, functions, permissions, usage }),
    (part) => part.stop(),
  );
  const busy = { functions, queues, eventSources, workflows, ses };
  const schedules = opened(startSchedules(resources, functions, surroundings), (part) => part.stop());
  const advance = async (seconds: number) => {
    folder.write('clock_offset', String(clock.offset + seconds * 1000));
    await clock.advance(seconds * 1000, () => settle(busy));
    folder.write('clock_offset', String(clock.offset));
    schedules.catchUp();
    await settle(busy);
  };
  gateway.serve(routes, controlPages({ operators, ses, athena, faults, usage, busy, advance }));
  folder.publish('stack.json', { pid: process.pid, base_url: gateway.baseUrl, aws_endpoint: wire.endpoint });
  opened('stack.json', (name) => rmSync(folder.file(name), { force: true }));
  return { credentials, dynamoDbElsewhere: dynamoDb.elsewhere ? dynamoDb.endpoint : undefined, dataFolder: folder };
}

async function synthesizeAnew(assembly: string, context?: Record<string, string>): Promise<void> {
  rmSync(assembly, { recursive: true, force: true });
  await synthesize(assembly, context);
}

async function openMail(folder: DataFolder, resources: Resources, wire: Wire, trackingBaseUrl: string): Promise<Ses> {
  const file = folder.ephemeral ? ':memory:' : folder.file('mail.sqlite');
  try {
    return await openSes({
      file,
      publish: wire.publish,
      configurationSets: configurationSets(resources),
      trackingBaseUrl,
    });
  } catch (error) {
    throw damaged(file, (error as Error).message);
  }
}

function configurationSets(resources: Resources): SesOptions['configurationSets'] {
  const destinations = resources
    .ofType('AWS::SES::ConfigurationSetEventDestination')
    .filter(({ properties }) => properties.EventDestination.Enabled !== false);
  return resources.ofType('AWS::SES::ConfigurationSet').map(({ name }) => ({
    name,
    destinations: destinations
      .filter(({ properties }) => properties.ConfigurationSetName === name)
      .map(({ properties: { EventDestination } }) => ({
        topicArn: EventDestination.SnsDestination.TopicARN,
        matchingEventTypes: EventDestination.MatchingEventTypes,
      })),
  }));
}
