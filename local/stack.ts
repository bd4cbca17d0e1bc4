import { rmSync } from 'node:fs';
import { openAthena } from './aws/athena.ts';
import { openBucketFiles } from './aws/bucket-files.ts';
import { openDynamoDb } from './aws/dynamodb.ts';
import { type AwsEndpoint, openAwsEndpoint } from './aws/endpoint.ts';
import { openKms } from './aws/kms.ts';
import { openQueueJournal } from './aws/queue-journal.ts';
import { openQueues } from './aws/queues.ts';
import { createTables, dropTables } from './aws/tables.ts';
import { Transactions } from './aws/transactions.ts';
import { openWorkflows } from './aws/workflows.ts';
import { clock } from './clock.ts';
import { controlPages } from './controls.ts';
import { type DataFolder, openDataFolder, reading } from './data-folder.ts';
import { openDns } from './dns.ts';
import { Faults } from './faults.ts';
import { openDistribution } from './http/distribution.ts';
import { openGateway, readRoutes } from './http/gateway.ts';
import { settle, settleCalls } from './idle.ts';
import { asyncInvoker } from './lambda/async-invocations.ts';
import { startEventSources } from './lambda/event-sources.ts';
import { installFunctionContext } from './lambda/function-context.ts';
import { prepareFunctions } from './lambda/runtime.ts';
import { startSchedules } from './lambda/schedules.ts';
import { Switches } from './lambda/switches.ts';
import { openOperators } from './operators.ts';
import { type Credentials, seed } from './seed.ts';
import { openSes, type Ses, type SesOptions } from './ses/server.ts';
import { readAssembly, synthesize } from './template/assembly.ts';
import { readPermissions } from './template/permissions.ts';
import type { Environment, Resources } from './template/resource.ts';
import { resolveTemplates } from './template/template.ts';
import { Usage } from './usage.ts';

/** How to start a stack. */
export interface StackOptions {
  port: number;
  /** The data folder; an ephemeral stack uses a temporary one instead. */
  data: string;
  ephemeral: boolean;
  /** The cloud assembly to run. @default the CDK app is synthesized */
  assembly?: string;
  /** The context of that synthesis, as for `cdk -c`. */
  context?: Record<string, string>;
  /** Whether the functions' SDK calls are answered in this process instead of over a socket. */
  inProcess: boolean;
  /** Called when an engine exits unexpectedly. */
  onFailure(message: string): void;
}

/** A running stack. */
export interface Stack {
  credentials: Credentials;
  /** The address of the external DynamoDB, when one is used. */
  externalDynamoDb?: string;
  /** The address of the firewall before the API, where the template has one. */
  firewall?: string;
  dataFolder: DataFolder;
  stop(): Promise<void>;
}

/** Starts everything that the CDK app describes; when a part fails, stops the parts that were started. */
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
  const awsEndpoint = opened(await openAwsEndpoint({ inProcess: options.inProcess }), (part) => part.close());
  const assembly = options.assembly ?? folder.file('cdk.out');
  const onExit = (detail: string) => options.onFailure(`The DynamoDB engine ended: ${detail}`);
  const [dynamoDb] = await Promise.all([
    openDynamoDb(folder, onExit).then((part) => opened(part, (running) => running.stop())),
    options.assembly ? undefined : synthesize(assembly, options.context),
  ]);

  const environment: Environment = {
    region: 'us-east-1',
    accountId: '000000000000',
    awsEndpoint: awsEndpoint.endpoint,
    apiEndpoint: gateway.baseUrl,
  };
  const resources = resolveTemplates(readAssembly(assembly), environment);
  installFunctionContext();
  const distribution = opened(await openDistribution(resources, gateway.baseUrl), (part) => part?.close());
  const permissions = readPermissions(resources);
  const switches = new Switches();
  const functions = prepareFunctions(resources, environment, folder.file('logs'), switches);
  const routes = readRoutes(resources, functions);
  await createTables(resources, dynamoDb, folder);
  if (dynamoDb.external && folder.ephemeral)
    opened(dynamoDb, (engine) =>
      dropTables(resources, engine).catch(() => console.error('The table was not deleted.')),
    );
  const journal = folder.ephemeral ? undefined : openQueueJournal(folder.file('queues.jsonl'));
  if (journal) opened(journal, (part) => part.close());
  const files = folder.ephemeral ? undefined : openBucketFiles(folder.file('buckets.sqlite'));
  if (files) opened(files, (part) => part.close());
  const queues = opened(await openQueues(resources, environment, journal, files), (part) => part.close());
  const athena = openAthena(resources, queues);
  const workflows = opened(openWorkflows(resources, { functions, permissions, athena }), (part) => part.stop());
  const ses = opened(openMail(folder, resources, awsEndpoint, gateway.baseUrl), (part) => part.close());
  const faults = new Faults();
  const tables = resources.ofType('AWS::DynamoDB::Table');
  const usage = new Usage((caller) => functions.find(caller)?.name, workflows.transitions, tables);
  functions.onInvoked((called, milliseconds, error) => {
    usage.invoked(called, milliseconds, error !== undefined);
    if (error) console.error(`${called.name} failed: ${error.errorType}: ${error.errorMessage}`);
  });
  const checks = { resources, environment, permissions, faults, usage };
  const engines = {
    dynamoDb,
    transactions: new Transactions(resources),
    queues,
    workflows,
    kms: openKms(resources),
    ses,
  };
  awsEndpoint.connect({ ...checks, functions, switches, ...engines });

  const dns = opened(await openDns(folder), (part) => part.close());
  const operators = openOperators(functions, ses, dns);
  const credentials = await seed(folder, operators, gateway.baseUrl);
  const eventSources = opened(
    startEventSources(resources, environment, { queues, functions, permissions, usage, switches }),
    (part) => part.stop(),
  );
  const busy = { functions, queues, eventSources, workflows, ses };
  const invokeAsync = asyncInvoker(resources, { functions, queues, permissions });
  const schedules = opened(startSchedules(resources, environment, { functions, invokeAsync, switches }), (part) =>
    part.stop(),
  );
  const advance = async (seconds: number) => {
    const settled = () => (clock.frozen ? settleCalls(awsEndpoint.underWay) : settle(busy));
    folder.write('clock_offset', String(clock.offset + seconds * 1000));
    await clock.advance(seconds * 1000, settled);
    folder.write('clock_offset', String(clock.offset));
    schedules.catchUp();
    await settled();
  };
  gateway.serve(routes, controlPages({ operators, ses, dns, athena, faults, usage, busy, advance }));
  folder.publish('stack.json', {
    pid: process.pid,
    base_url: gateway.baseUrl,
    firewall: distribution?.url,
    aws_endpoint: awsEndpoint.endpoint,
  });
  opened('stack.json', (name) => rmSync(folder.file(name), { force: true }));
  const externalDynamoDb = dynamoDb.external ? dynamoDb.endpoint : undefined;
  return { credentials, externalDynamoDb, firewall: distribution?.url, dataFolder: folder };
}

function openMail(folder: DataFolder, resources: Resources, awsEndpoint: AwsEndpoint, trackingBaseUrl: string): Ses {
  const file = folder.ephemeral ? ':memory:' : folder.file('mail.sqlite');
  const { publish } = awsEndpoint;
  return reading(file, () =>
    openSes({ file, publish, configurationSets: configurationSets(resources), trackingBaseUrl }),
  );
}

function configurationSets(resources: Resources): SesOptions['configurationSets'] {
  const destinations = resources.ofType('AWS::SES::ConfigurationSetEventDestination');
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
